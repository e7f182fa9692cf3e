/**
 * Writes a copy as a folder that gets its name when it is complete, so that an interrupted one is never mistaken for a
 * whole one, or as a tar file. Files of the newest backup beside a folder are shared with it instead of written.
 */
import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { copyFile, link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { NewCopy, NewFile } from '../../core/copies/copy.js'
import type { CopiedFile, Manifest } from '../../core/copies/manifest.js'
import { isDiskFull } from '../../lib/environment-fault.js'
import { OperatorError } from '../../lib/operator-error.js'
import { backupFormat, type Format, manifestFile, unfinishedEnding, unfinishedMark } from './manifest.js'
import { checksumOf, listBackups } from './open-copy.js'
import { isTar, writeTar } from './tar.js'

/** `place` must be an empty or missing folder, or a missing tar file. */
export async function newCopy(place: string, format: Format<Manifest>): Promise<NewCopy> {
  if (isTar(place) && existsSync(place)) {
    throw new OperatorError(`${place} exists. Each ${wordOf(format)} needs a file of its own.`)
  }
  const folder = await newFolder(place, format)
  if (isTar(place)) return asTar(place, folder)
  return format === backupFormat ? sharing(place, folder) : folder
}

/** Written as a folder first, which needs as much space again. Its manifest comes first, so that it is read without the rest. */
function asTar(tar: string, folder: NewCopy): NewCopy {
  return {
    ...folder,
    async finish(manifest) {
      await writeManifest(folder.pathOf(manifestFile), manifest)
      const names = [manifestFile, ...manifest.files.map(({ path }) => path)]
      const unfinished = folder.pathOf(unfinishedTar)
      await rm(unfinished, { force: true })
      await writeTar(
        unfinished,
        names.map((name) => ({ name, path: folder.pathOf(name) })),
      )
      await rename(unfinished, tar)
    },
  }
}

/** A tar file that is being written, in the unfinished folder. */
const unfinishedTar = 'backup.tar'

async function sharing(place: string, folder: NewCopy): Promise<NewCopy> {
  const complete = (await listBackups(dirname(place))).flatMap(({ manifest, path }) =>
    manifest && !isTar(path) ? [{ ...manifest, path }] : [],
  )
  const [newest] = complete.toSorted((one, other) => (one.finished_at < other.finished_at ? 1 : -1))
  if (!newest) return folder
  const pathIn = ({ path }: CopiedFile) => join(newest.path, path)
  const isThere = (file: CopiedFile) => statSync(pathIn(file), { throwIfNoEntry: false })?.size === file.bytes
  return {
    ...folder,
    reusable: new Map(newest.files.filter(isThere).map((file) => [file.path, file])),
    async reuse(file) {
      await shareFile(pathIn(file), folder.pathOf(file.path))
      return { ...file, reused_from: file.reused_from ?? basename(newest.path) }
    },
  }
}

/** A hard link: the file lives until the last backup that has it is deleted. Some file systems have none. */
async function shareFile(from: string, to: string): Promise<void> {
  // The service may still have been copying for a command that was killed.
  await rm(to, { force: true })
  try {
    await link(from, to)
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL)
  }
}

/** `directory` must be empty or missing. */
export async function newFolder(directory: string, format: Format<Manifest>): Promise<NewCopy> {
  const what = wordOf(format)
  requireEmpty(directory, what)
  const folder = `${directory}${unfinishedEnding}`
  // Whatever else is in an unfinished folder, somebody else put it there.
  const ownNames = new Set([unfinishedMark, manifestFile, unfinishedTar, ...format.rooms, ...format.files])
  if (existsSync(folder) && readdirSync(folder).some((name) => !ownNames.has(name))) {
    throw new OperatorError(
      `${folder} exists, but is not an interrupted ${what}. Move it away, or choose another folder.`,
    )
  }
  try {
    await rm(folder, { recursive: true, force: true })
    // Not `recursive`, which never ends where the system answers ENOENT, as in /proc.
    for (const room of ['', ...format.rooms]) await mkdir(join(folder, room), { mode: 0o700 })
    await writeFile(join(folder, unfinishedMark), `The ${what} to ${basename(directory)} has not finished.\n`)
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined) // the first error says what is wrong
    throw cannotCreate(directory, what, error as NodeJS.ErrnoException)
  }
  let finished = false
  const pathOf = (name: string) => join(folder, name)
  return {
    pathOf,
    create: (name) => createFile(folder, name),
    describe: async (path, rows) => describe(path, rows, await checksumOf(readIn(pathOf(path)))),
    reusable: new Map(),
    reuse: async (file) => file,
    async finish(manifest) {
      await writeManifest(pathOf(manifestFile), manifest)
      await rm(pathOf(unfinishedMark))
      requireEmpty(directory, what)
      await rename(folder, directory)
      finished = true
    },
    async discard() {
      if (!finished) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** `backup` */
function wordOf({ name }: Format<Manifest>): string {
  return name.replace(/^an? /, '')
}

function readIn(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 1 << 20 })
}

async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true })
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
      return describe(path, rows, { bytes, sha256: hash.digest('hex') })
    },
  }
}

function describe(path: string, rows: number | undefined, sum: Pick<CopiedFile, 'bytes' | 'sha256'>): CopiedFile {
  return { path, ...(rows !== undefined && { rows }), ...sum }
}
