/** Reads a copy, wherever its files are. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Copy } from '../../core/copies/copy.js'
import type { BackupManifest, CopiedFile, Manifest } from '../../core/copies/manifest.js'
import { OperatorError } from '../../lib/operator-error.js'
import { backupFormat, type Format, manifestFile, manifestFrom, unfinishedEnding, unfinishedMark } from './manifest.js'
import { isTar, openTar } from './tar.js'

/** Where the bytes of a copy come from. */
export interface Content {
  /** Undefined: there is no such file. */
  read(file: CopiedFile): AsyncIterable<Uint8Array> | undefined
  /** For messages. */
  placeOf(file: CopiedFile): string
  /** If it is a file of its own. */
  readonly pathOf?: (file: CopiedFile) => string
}

/** `scratch`: a folder for files that must be read by their path, one at a time. */
export function copyOf<M extends Manifest>(manifest: M, content: Content, scratch = tmpdir()): Copy<M> {
  const useAnother = `Copy the whole ${manifest.format.replace('shortlink ', '')} again, or use another one.`
  const read = (file: CopiedFile) => {
    const bytes = content.read(file)
    if (bytes) return bytes
    throw new OperatorError(`${content.placeOf(file)} is missing. ${useAnother}`)
  }
  return {
    manifest,
    bytes: async (file) => buffer(read(file)),
    async withFile(file, work) {
      if (content.pathOf) return work(content.pathOf(file))
      const folder = await mkdtemp(join(scratch, '.unpacked-'))
      // With its own name, which says what it contains.
      const path = join(folder, basename(file.path))
      try {
        await pipeline(read(file), createWriteStream(path, { mode: 0o600 }))
        return await work(path)
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    async verify(file) {
      const found = await checksumOf(read(file))
      if (found.bytes === file.bytes && found.sha256 === file.sha256) return
      throw new OperatorError(
        `${content.placeOf(file)} differs from the manifest: it was changed or is damaged. ${useAnother}`,
      )
    },
  }
}

/** A folder, or a tar file. */
export async function openCopy<M extends Manifest>(
  place: string,
  format: Format<M>,
  scratch?: string,
): Promise<Copy<M>> {
  if (isTarFile(place)) {
    const { first, contentOf } = await openTar(place)
    const content = { read: contentOf, placeOf: ({ path }: CopiedFile) => `${path} in ${place}` }
    return copyOf(manifestFrom(first, place, format), content, scratch)
  }
  const pathOf = ({ path }: CopiedFile) => join(place, path)
  return copyOf(await readManifest(place, format), {
    read: (file) => (existsSync(pathOf(file)) ? createReadStream(pathOf(file), { highWaterMark: 1 << 20 }) : undefined),
    placeOf: pathOf,
    pathOf,
  })
}

/** Of a folder or a tar file. */
async function readManifest<M extends Manifest>(place: string, format: Format<M>): Promise<M> {
  if (isTarFile(place)) return manifestFrom((await openTar(place, manifestFile)).first, place, format)
  const path = join(place, manifestFile)
  if (existsSync(path)) return manifestFrom(await readFile(path, 'utf8'), place, format)
  const hint = existsSync(join(place, unfinishedMark))
    ? ': it was interrupted. Make another one.'
    : `: it has no ${manifestFile}.${format.hint}`
  throw new OperatorError(`${place} is not ${format.name} of shortlink${hint}`)
}

function isTarFile(place: string): boolean {
  return isTar(place) && statSync(place, { throwIfNoEntry: false })?.isFile() === true
}

export interface FoundBackup {
  readonly name: string
  readonly path: string
  /** Undefined: it is not a good backup. */
  readonly manifest: BackupManifest | undefined
  /** Why not. */
  readonly problem?: string
}

/** Those in a folder, oldest name first. Other folders and files are left out. A backup itself is the only one. */
export async function listBackups(folder: string): Promise<readonly FoundBackup[]> {
  if (!existsSync(folder)) throw new OperatorError(`${folder} does not exist.`)
  if (isTar(folder) || existsSync(join(folder, manifestFile))) return [await describe(basename(folder), folder)]
  const found: FoundBackup[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile() && isTar(entry.name)) found.push(await describe(entry.name, path))
    if (!entry.isDirectory()) continue
    if (entry.name.endsWith(unfinishedEnding) || existsSync(join(path, unfinishedMark))) {
      found.push({ name: entry.name, path, manifest: undefined, problem: 'not finished' })
    } else if (existsSync(join(path, manifestFile))) found.push(await describe(entry.name, path))
  }
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

async function describe(name: string, path: string): Promise<FoundBackup> {
  try {
    return { name, path, manifest: await readManifest(path, backupFormat) }
  } catch (error) {
    return { name, path, manifest: undefined, problem: (error as Error).message }
  }
}

export async function checksumOf(
  content: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of content) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

const pageLines = 1_000

/** The lines of an NDJSON file, in pages. */
export async function* readLines(file: string): AsyncGenerator<readonly string[]> {
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
