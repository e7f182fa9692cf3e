/**
 * A folder that gets its name when it is complete, so that an interrupted export or backup is never mistaken for a whole
 * one.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ArchivedFile, NewFile } from '../../core/archives/archive-files.js'
import { isDiskFull } from '../../lib/environment-fault.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface UnfinishedFolder {
  /** The path of a file, for those who write it themselves. */
  pathOf(name: string): string
  create(name: string): Promise<NewFile>
  /** A file that somebody else wrote. */
  describe(name: string, rows?: number): Promise<ArchivedFile>
  finish(manifest: object): Promise<void>
  /** Removes what was written; nothing happens after `finish`. */
  discard(): Promise<void>
}

export interface FolderKind {
  /** `export` */
  readonly what: string
  readonly rooms: readonly string[]
  /** Files beside the rooms. Whatever else is in an unfinished folder, somebody else put it there. */
  readonly files: readonly string[]
}

export const unfinishedEnding = '.unfinished'

/** `directory` must be empty or missing. */
export async function newFolder(directory: string, { what, rooms, files }: FolderKind): Promise<UnfinishedFolder> {
  requireEmpty(directory, what)
  const folder = `${directory}${unfinishedEnding}`
  const ownNames = new Set([unfinishedMark, manifestFile, ...rooms, ...files])
  if (existsSync(folder) && readdirSync(folder).some((name) => !ownNames.has(name))) {
    throw new OperatorError(
      `${folder} exists, but is not an interrupted ${what}. Move it away, or choose another folder.`,
    )
  }
  try {
    await rm(folder, { recursive: true, force: true })
    // Not `recursive`, which never ends where the system answers ENOENT, as in /proc.
    for (const room of ['', ...rooms]) await mkdir(join(folder, room), { mode: 0o700 })
    await writeFile(join(folder, unfinishedMark), `The ${what} to ${basename(directory)} has not finished.\n`)
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined) // the first error says what is wrong
    throw cannotCreate(directory, what, error as NodeJS.ErrnoException)
  }
  let finished = false
  return {
    pathOf: (name) => join(folder, name),
    create: (name) => createFile(folder, name),
    describe: (name, rows) => describe(folder, name, rows),
    async finish(manifest) {
      await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`, {
        mode: 0o600,
        flush: true,
      })
      await rm(join(folder, unfinishedMark))
      requireEmpty(directory, what)
      await rename(folder, directory)
      finished = true
    },
    async discard() {
      if (!finished) await rm(folder, { recursive: true, force: true })
    },
  }
}

function cannotCreate(directory: string, what: string, error: NodeJS.ErrnoException): OperatorError {
  if (isDiskFull(error)) {
    return new OperatorError(
      `The disk of ${directory} is full. The ${what} was not started. Free some space, or choose another target.`,
    )
  }
  const isForbidden = error.code === 'EACCES' || error.code === 'EPERM'
  const advice = isForbidden ? 'Give this user the right to write there.' : 'Choose another target.'
  return new OperatorError(`Cannot create ${directory}${unfinishedEnding} (${error.message}). ${advice}`)
}

export const manifestFile = 'manifest.json'
export const unfinishedMark = 'UNFINISHED'

function requireEmpty(directory: string, what: string): void {
  const parent = statSync(dirname(directory), { throwIfNoEntry: false })
  if (!parent) throw new OperatorError(`${dirname(directory)} does not exist. Create it first.`)
  if (!parent.isDirectory()) throw new OperatorError(`${dirname(directory)} is not a folder.`)
  const found = statSync(directory, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isDirectory()) throw new OperatorError(`${directory} is not a folder.`)
  if (readdirSync(directory).length === 0) return
  throw new OperatorError(
    `${directory} is not empty. Each ${what} needs a folder of its own; a missing one is created.`,
  )
}

async function createFile(folder: string, path: string): Promise<NewFile> {
  const file = await open(join(folder, path), 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(text) {
      const data = typeof text === 'string' ? Buffer.from(text) : text
      hash.update(data)
      bytes += data.length
      await file.writeFile(data)
    },
    async close(rows) {
      await file.close()
      return { path, ...(rows !== undefined && { rows }), bytes, sha256: hash.digest('hex') }
    },
  }
}

async function describe(folder: string, path: string, rows: number | undefined): Promise<ArchivedFile> {
  const { bytes, sha256 } = await checksumOf(join(folder, path))
  return { path, ...(rows !== undefined && { rows }), bytes, sha256 }
}

export async function checksumOf(
  file: string | AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const content = typeof file === 'string' ? createReadStream(file, { highWaterMark: 1 << 20 }) : file
  for await (const chunk of content) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}
