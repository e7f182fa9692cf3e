/** The two formats of a copy, and how their manifests are checked. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { checksumOf, type Room, secretsFile } from '../../core/copies/copy.js'
import {
  type ArchiveManifest,
  ArchiveSchema,
  type BackupManifest,
  BackupSchema,
  type Manifest,
} from '../../core/copies/manifest.js'
import { OperatorError } from '../../lib/operator-error.js'

export const manifestFile = 'manifest.json'
/** In a folder that is being written, which also has another name. */
export const unfinishedMark = 'UNFINISHED'
export const unfinishedEnding = '.unfinished'

export interface Format<M extends Manifest> {
  /** `a backup` */
  readonly name: string
  readonly rooms: readonly Room[]
  /** Beside the rooms. */
  readonly files: readonly string[]
  /** For what has no manifest. */
  readonly hint: string
  /** What to do with one of a newer version. */
  readonly verb: string
  readonly schema: typeof ArchiveSchema | typeof BackupSchema
  /** Never there: carries the type. */
  readonly manifest?: M
}

export const archiveFormat: Format<ArchiveManifest> = {
  name: 'an archive',
  rooms: ['records', 'images', 'clicks'],
  files: ['README.md'],
  hint: ' For links of other products: "shortlink import links FILE".',
  verb: 'Import',
  schema: ArchiveSchema,
}

export const backupFormat: Format<BackupManifest> = {
  name: 'a backup',
  rooms: ['records', 'clicks', 'files', 'images'],
  files: [secretsFile],
  hint: '',
  verb: 'Restore',
  schema: BackupSchema,
}

/** What every version of the formats has. */
const NewerVersion = Type.Object({
  format: Type.String(),
  version: Type.Integer({ minimum: 2 }),
  program: Type.Optional(Type.String()),
})

/** `where` is for messages. */
export function manifestFrom<M extends Manifest>(text: string, where: string, { name, verb, schema }: Format<M>): M {
  const notOne = `${where} is not ${name} of shortlink`
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${notOne}: ${manifestFile} is damaged (${(error as Error).message}). ${useAnother}`)
  }
  if (Value.Check(NewerVersion, manifest)) {
    const by = manifest.program === undefined ? '' : `, ${manifest.program}`
    throw new OperatorError(
      `${where} was written by a newer version of shortlink (format ${manifest.version}${by}). ${verb} it with that version.`,
    )
  }
  const [problem] = Value.Errors(schema, manifest)
  if (problem)
    throw new OperatorError(`${notOne}: in ${manifestFile}, ${problem.instancePath || 'it'} ${problem.message}.`)
  const checked = manifest as M & Pick<BackupManifest, 'checksum'>
  if (checked.checksum !== undefined && checked.checksum !== checksumOf(checked))
    throw new OperatorError(`${notOne}: ${manifestFile} was changed or is damaged. ${useAnother}`)
  return checked
}

const useAnother = 'Copy it again, or use another one.'
