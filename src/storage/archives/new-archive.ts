/**
 * Writes the folder of an archive. It has another name until it is complete, so that an interrupted export is never
 * mistaken for a whole one.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ArchivedFile, NewArchive, NewFile } from '../../core/archives/archive-files.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface UnfinishedArchive extends NewArchive {
  /** Removes what was written; nothing happens after `finish`. */
  discard(): Promise<void>
}

/** `directory` must be empty or missing. */
export async function newArchive(directory: string): Promise<UnfinishedArchive> {
  requireEmpty(directory)
  const folder = `${directory}.unfinished`
  if (existsSync(folder) && readdirSync(folder).some((name) => !ownNames.has(name))) {
    throw new OperatorError(
      `${folder} exists, but is not an interrupted export. Move it away, or choose another folder.`,
    )
  }
  await rm(folder, { recursive: true, force: true })
  for (const room of ['', ...rooms]) {
    await mkdir(join(folder, room), { recursive: true, mode: 0o700 })
  }
  await writeFile(join(folder, mark), `An export to ${basename(directory)} has not finished.\n`)
  let finished = false
  return {
    pathOf: (name) => join(folder, name),
    create: (name) => createFile(folder, name),
    describe: (name, rows) => describe(folder, name, rows),
    async finish(manifest) {
      await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
        mode: 0o600,
        flush: true,
      })
      await rm(join(folder, mark))
      requireEmpty(directory)
      await rename(folder, directory)
      finished = true
    },
    async discard() {
      if (!finished) await rm(folder, { recursive: true, force: true })
    },
  }
}

const mark = 'UNFINISHED'
const rooms = ['records', 'images', 'clicks']
/** Whatever else is in a folder, an export did not put it there. */
const ownNames: ReadonlySet<string> = new Set([mark, ...rooms, 'README.md', 'manifest.json'])

function requireEmpty(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false })
  if (!found) {
    if (existsSync(dirname(directory))) return
    throw new OperatorError(`${dirname(directory)} does not exist. Create it first.`)
  }
  if (!found.isDirectory()) throw new OperatorError(`${directory} is not a folder.`)
  if (readdirSync(directory).length === 0) return
  throw new OperatorError(`${directory} is not empty. An archive needs a folder of its own; a missing one is created.`)
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

export async function checksumOf(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}
