/** Reads the folder of an archive. */
import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Archive, ArchivedFile, Manifest } from '../../core/archives/archive-files.js'
import { OperatorError } from '../../lib/operator-error.js'
import { checksumOf } from './unfinished-folder.js'

export async function openArchive(folder: string): Promise<Archive> {
  const manifest = await readManifest(folder)
  return {
    manifest,
    pathOf: (name) => join(folder, name),
    lines: (name) => pagesOf(join(folder, name)),
    bytes: (name) => readFile(join(folder, name)),
    verify: (file) => verify(folder, file),
  }
}

const File = Type.Object({
  // Only names that an export writes: nothing outside the folder is read.
  path: Type.String({ pattern: '^(README\\.md|(records|images|clicks)/[\\w.-]+)$' }),
  rows: Type.Optional(Type.Integer({ minimum: 0 })),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

const ManifestFile = Type.Object({
  format: Type.Literal('shortlink archive'),
  version: Type.Integer(),
  program: Type.String(),
  schema: Type.String(),
  exported_at: Type.String(),
  organization: Type.Union([Type.String(), Type.Null()]),
  secrets: Type.Boolean(),
  counts: Type.Record(Type.String(), Type.Integer()),
  files: Type.Array(File),
})

async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json')
  const notOne = `${folder} is not an archive of shortlink`
  if (!existsSync(path)) {
    const hint = existsSync(join(folder, 'UNFINISHED'))
      ? ': its export was interrupted. Export again.'
      : ': it has no manifest.json. For links of other products: "shortlink import links FILE".'
    throw new OperatorError(`${notOne}${hint}`)
  }
  let manifest: unknown
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${notOne}: manifest.json is damaged (${(error as Error).message}).`)
  }
  const [problem] = Value.Errors(ManifestFile, manifest)
  if (problem)
    throw new OperatorError(`${notOne}: in manifest.json, ${problem.instancePath || 'it'} ${problem.message}.`)
  const { version, ...rest } = manifest as Static<typeof ManifestFile>
  if (version !== 1) {
    throw new OperatorError(
      `${folder} was written by a newer version of shortlink (format ${version}). Use that version.`,
    )
  }
  return { ...rest, version }
}

async function verify(folder: string, file: ArchivedFile): Promise<void> {
  const path = join(folder, file.path)
  if (!existsSync(path)) throw new OperatorError(`${path} is missing. Copy the whole archive again.`)
  const found = await checksumOf(path)
  if (found.bytes === file.bytes && found.sha256 === file.sha256) return
  throw new OperatorError(
    `${path} differs from the manifest: it was changed or is damaged. Copy the whole archive again.`,
  )
}

const pageLines = 1_000

async function* pagesOf(file: string): AsyncGenerator<readonly string[]> {
  let page: string[] = []
  let rest = ''
  // Not by readline, which also splits at U+2028, a character that JSON does not escape.
  for await (const text of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + String(text)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      page.push(line)
      if (page.length < pageLines) continue
      yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}
