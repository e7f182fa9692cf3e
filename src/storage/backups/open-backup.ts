/** Reads a backup: a folder, or a tar file. */
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backup } from '../../core/backups/restore-backup.js'
import { OperatorError } from '../../lib/operator-error.js'
import { checksumOf } from '../archives/unfinished-folder.js'
import { isTar, readManifest } from './read-manifest.js'
import { openTarBackup } from './tar-backup.js'

/** `scratch`: where files of a tar file are unpacked if they must be read by their path. */
export async function openBackup(folder: string, scratch = tmpdir()): Promise<Backup> {
  if (isTar(folder) && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return openTarBackup(folder, scratch)
  const manifest = await readManifest(folder)
  const pathOf = ({ path }: { readonly path: string }) => join(folder, path)
  return {
    manifest,
    bytes: (file) => readFile(pathOf(file)),
    withFile: (file, work) => work(pathOf(file)),
    async verify(file) {
      const path = pathOf(file)
      if (!existsSync(path)) throw new OperatorError(`${path} is missing. ${useAnother}`)
      const found = await checksumOf(path)
      if (found.bytes === file.bytes && found.sha256 === file.sha256) return
      throw new OperatorError(`${path} differs from the manifest: it was changed or is damaged. ${useAnother}`)
    },
  }
}

const useAnother = 'Copy the whole backup again, or use another one.'
