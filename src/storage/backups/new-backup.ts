/** Writes the folder of a backup. Files of the newest backup beside it are shared with it instead of copied. */
import { constants, statSync } from 'node:fs'
import { copyFile, link, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { NewBackup } from '../../core/backups/make-backup.js'
import { type BackupFile, backupRooms, secretsFile } from '../../core/backups/manifest.js'
import { newFolder, type UnfinishedFolder } from '../archives/unfinished-folder.js'
import { listBackups } from './list-backups.js'
import { isTar } from './read-manifest.js'

/** A tar file that is being written, in the unfinished folder. */
export const unfinishedTar = 'backup.tar'

export type UnfinishedBackup = NewBackup & Pick<UnfinishedFolder, 'discard'>

/** `directory` must be empty or missing. */
export async function newBackup(directory: string): Promise<UnfinishedBackup> {
  const rooms = Object.values(backupRooms)
  const folder = await newFolder(directory, { what: 'backup', rooms, files: [secretsFile, unfinishedTar] })
  const complete = (await listBackups(dirname(directory))).filter(({ manifest, path }) => manifest && !isTar(path))
  const [newest] = complete.toSorted((one, other) => (finishedAt(one) < finishedAt(other) ? 1 : -1))
  const pathIn = (path: string) => join(newest?.path ?? '', path)
  return {
    ...folder,
    previous: newest?.manifest,
    canReuse: ({ path, bytes }) => statSync(pathIn(path), { throwIfNoEntry: false })?.size === bytes,
    async reuse(file) {
      await shareFile(pathIn(file.path), folder.pathOf(file.path))
      return reusedFrom(file, basename(newest?.path ?? ''))
    },
  }
}

function finishedAt({ manifest }: { readonly manifest?: { readonly finished_at: string } | undefined }): string {
  return manifest?.finished_at ?? ''
}

function reusedFrom(file: BackupFile, name: string): BackupFile {
  return { ...file, reused_from: file.reused_from ?? name }
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
