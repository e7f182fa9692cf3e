/** Reads and checks the manifest of a backup. */
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type BackupManifest, checksumOf } from '../../core/backups/manifest.js'
import { OperatorError } from '../../lib/operator-error.js'
import { manifestFile, unfinishedMark } from '../archives/unfinished-folder.js'
import { readRange, readTar } from './tar.js'

const File = Type.Object({
  // Only names that a backup writes: nothing outside the folder is read.
  path: Type.String({ pattern: '^(secrets\\.json|(records|clicks|files|images)/[\\w][\\w.-]*)$' }),
  rows: Type.Optional(Type.Integer({ minimum: 0 })),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  fingerprint: Type.Optional(Type.String()),
  reused_from: Type.Optional(Type.String()),
})

const ManifestFile = Type.Object({
  format: Type.Literal('shortlink backup'),
  version: Type.Literal(1),
  program: Type.String(),
  schema: Type.String(),
  started_at: Type.String(),
  finished_at: Type.String(),
  engines: Type.Object({
    records: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    clicks: Type.Union([Type.Literal('duckdb'), Type.Literal('clickhouse')]),
  }),
  secrets: Type.Union([Type.Literal('encrypted'), Type.Literal('left out')]),
  counts: Type.Object({
    links: Type.Integer(),
    users: Type.Integer(),
    images: Type.Integer(),
    clicks: Type.Integer(),
  }),
  unpublished: Type.Integer(),
  missing_images: Type.Array(Type.String()),
  files: Type.Array(File),
  checksum: Type.Optional(Type.String()),
})

/** What every version of the format has. */
const Version = Type.Object({
  format: Type.Literal('shortlink backup'),
  version: Type.Integer({ minimum: 2 }),
  program: Type.Optional(Type.String()),
})

export function isTar(path: string): boolean {
  return path.endsWith('.tar')
}

/** Of a folder or a tar file. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  if (isTar(folder) && statSync(folder, { throwIfNoEntry: false })?.isFile()) return readTarManifest(folder)
  const path = join(folder, manifestFile)
  if (existsSync(path)) return manifestFrom(await readFile(path, 'utf8'), folder)
  const hint = existsSync(join(folder, unfinishedMark))
    ? ': it was interrupted. Make another one.'
    : `: it has no ${manifestFile}.`
  throw new OperatorError(`${folder} is not a backup of shortlink${hint}`)
}

async function readTarManifest(tar: string): Promise<BackupManifest> {
  const [first] = (await readTar(tar, manifestFile)) ?? []
  if (first?.name !== manifestFile) throw notWhole(tar)
  return manifestFrom((await readRange(tar, first)).toString('utf8'), tar)
}

export function notWhole(tar: string): OperatorError {
  return new OperatorError(`${tar} is not a whole backup of shortlink: it was cut off or changed. Copy it again.`)
}

/** `where` is for messages. */
export function manifestFrom(text: string, where: string): BackupManifest {
  const notOne = `${where} is not a backup of shortlink`
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(
      `${notOne}: ${manifestFile} is damaged (${(error as Error).message}). Copy it again, or use another backup.`,
    )
  }
  if (Value.Check(Version, manifest)) {
    const by = manifest.program === undefined ? '' : `, ${manifest.program}`
    throw new OperatorError(
      `${where} was written by a newer version of shortlink (format ${manifest.version}${by}). Restore it with that version.`,
    )
  }
  const [problem] = Value.Errors(ManifestFile, manifest)
  if (problem)
    throw new OperatorError(`${notOne}: in ${manifestFile}, ${problem.instancePath || 'it'} ${problem.message}.`)
  const checked = manifest as Static<typeof ManifestFile>
  if (checked.checksum !== undefined && checked.checksum !== checksumOf(checked))
    throw new OperatorError(
      `${notOne}: ${manifestFile} was changed or is damaged. Copy it again, or use another backup.`,
    )
  return checked
}
