/**
 * The empty data directory that a backup is restored into. Everything is written into a folder inside it, because the
 * directory itself may be a mount point, and moved up at the end. As long as that folder exists, the restore can be
 * repeated, and the service does not start.
 */
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup, EmptyPlace } from '../../core/copies/restore-backup.js'
import type { Blobs } from '../../core/images/blobs.js'
import { OperatorError } from '../../lib/operator-error.js'
import { diskBlobs } from '../blobs/disk-blobs.js'
import { syncFolder } from '../journal/segments.js'

const unfinished = 'restore.unfinished'
/** In that folder: everything is restored, and only the last steps are missing. */
const complete = 'COMPLETE'
/** In that folder, before the first file is moved up: the names of all. Those that are no longer beside it were moved. */
const moving = 'MOVING'

/** A store that a backup is restored into. */
export interface RestoredStore<Rest extends readonly unknown[] = []> {
  /**
   * Throws an OperatorError if the store is not empty; deletes what an interrupted restore left. Undefined for files of the
   * data directory, whose emptiness is that of the directory.
   */
  begin?(): Promise<void>
  /** `folder` becomes the data directory. */
  restore(backup: Backup, folder: string, ...rest: Rest): Promise<void>
  /** After everything else was restored. */
  finish?(): Promise<void>
}

export interface EmptyPlaceParts {
  readonly records: RestoredStore
  readonly clicks: RestoredStore<[onPart: (done: number) => void]>
  /** Undefined: files in the data directory. */
  readonly blobs: Blobs | undefined
}

/** Where a restore may put files for a moment: on the disk of the data directory. It exists after `begin`. */
export function scratchIn(dataDir: string): string {
  return join(dataDir, unfinished)
}

export function emptyPlace(dataDir: string, { records, clicks, blobs }: EmptyPlaceParts): EmptyPlace {
  const folder = join(dataDir, unfinished)
  return {
    blobs: blobs ?? diskBlobs(join(folder, 'images')),
    async begin() {
      if (existsSync(join(folder, complete))) return 'complete'
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      const isRepeated = existsSync(folder)
      const moved = await movedFrom(folder)
      const found = (await readdir(dataDir)).filter((name) => name !== 'lost+found' && name !== unfinished)
      const foreign = found.filter((name) => !moved.has(name))
      if (foreign.length > 0) throw isRepeated ? notWritten(dataDir, foreign) : notEmpty(dataDir, foreign)
      await records.begin?.()
      await clicks.begin?.()
      // In this order: the folder goes last, and without its list nothing counts as moved.
      for (const name of found) await rm(join(dataDir, name), { recursive: true })
      await rm(join(folder, moving), { force: true })
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { mode: 0o700 })
      return 'empty'
    },
    async writeFile(name, content) {
      await writeFile(pathIn(folder, name), content, { mode: 0o600, flag: 'wx' })
    },
    async copyFile(name, from) {
      await copyFile(from, pathIn(folder, name))
    },
    restoreClicks: (backup, onPart) => clicks.restore(backup, folder, onPart),
    restoreRecords: (backup) => records.restore(backup, folder),
    async finish() {
      const names = (await readdir(folder)).filter((name) => name !== complete && name !== moving)
      const foreign = names.filter((name) => existsSync(join(dataDir, name)))
      if (foreign.length > 0) throw notWritten(dataDir, foreign)
      if (names.length > 0) await writeFile(join(folder, moving), JSON.stringify(names), { flush: true })
      for (const name of names) await rename(join(folder, name), join(dataDir, name))
      await writeFile(join(folder, complete), '', { flush: true })
      syncFolder(dataDir)
      await clicks.finish?.()
      await records.finish?.()
      // In one step: without its content the folder would mean that nothing is complete.
      await rename(folder, `${folder}.done`)
      await rm(`${folder}.done`, { recursive: true })
    },
  }
}

/** What an interrupted restore has moved up. */
async function movedFrom(folder: string): Promise<ReadonlySet<string>> {
  const list = join(folder, moving)
  if (!existsSync(list)) return new Set()
  const text = await readFile(list, 'utf8')
  // Killed while it wrote the list: nothing was moved yet.
  const names = text.endsWith(']') ? (JSON.parse(text) as string[]) : []
  return new Set(names.filter((name) => !existsSync(join(folder, name))))
}

/** Names come from a file that may have been changed. */
function pathIn(folder: string, name: string): string {
  if (!/^\w[\w.-]*$/.test(name)) throw new OperatorError(`The backup contains a file with the name "${name}".`)
  return join(folder, name)
}

function notEmpty(dataDir: string, names: readonly string[]): OperatorError {
  const some = names.slice(0, 3).join(', ')
  return new OperatorError(
    `${dataDir} is not empty (${some}). A backup is restored into an empty or missing folder: choose another --data-dir, or ` +
      'move the old one away.',
  )
}

function notWritten(dataDir: string, names: readonly string[]): OperatorError {
  const some = names.slice(0, 3).join(', ')
  return new OperatorError(
    `${dataDir} contains ${some}, which the interrupted restore has not written. Move such files elsewhere, run the same ` +
      '"shortlink restore" again, and put them back when it has finished.',
  )
}

/** Whether there is half a backup in it. */
export function isHalfRestored(dataDir: string): boolean {
  return existsSync(join(dataDir, unfinished))
}

export function requireRestored(dataDir: string): void {
  if (!isHalfRestored(dataDir)) return
  throw new OperatorError(
    `A backup was being restored into ${dataDir}, and did not finish. Run the same "shortlink restore" again, or delete ` +
      'the directory to start anew.',
  )
}
