/** A backup as one tar file. Its manifest comes first, so that it can be listed without reading the rest. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Backup } from '../../core/backups/restore-backup.js'
import { OperatorError } from '../../lib/operator-error.js'
import { checksumOf, manifestFile } from '../archives/unfinished-folder.js'
import { newBackup, type UnfinishedBackup, unfinishedTar } from './new-backup.js'
import { notWhole, readManifest } from './read-manifest.js'
import { readRange, readTar, type TarEntry, writeTar } from './tar.js'

/** Written as a folder first, which needs as much space again. */
export async function newTarBackup(tar: string): Promise<UnfinishedBackup> {
  if (existsSync(tar)) throw new OperatorError(`${tar} exists. Each backup needs a file of its own.`)
  const folder = await newBackup(tar)
  return {
    ...folder,
    async finish(manifest) {
      const path = folder.pathOf(manifestFile)
      const file = await folder.create(manifestFile)
      await file.write(`${JSON.stringify(manifest, undefined, 2)}\n`)
      await file.close()
      const files = manifest.files.map(({ path: name }) => ({ name, path: folder.pathOf(name) }))
      const unfinished = folder.pathOf(unfinishedTar)
      await rm(unfinished, { force: true })
      await writeTar(unfinished, [{ name: manifestFile, path }, ...files])
      await rename(unfinished, tar)
    },
  }
}

/** Files that must be read by their path are unpacked into the folder `scratch`, one at a time. */
export async function openTarBackup(tar: string, scratch: string): Promise<Backup> {
  const manifest = await readManifest(tar)
  const entries = new Map((await readTar(tar))?.map((entry) => [entry.name, entry]))
  const entryOf = ({ path }: { readonly path: string }) => {
    const entry = entries.get(path)
    if (!entry) throw notWhole(tar)
    return entry
  }
  return {
    manifest,
    bytes: (file) => readRange(tar, entryOf(file)),
    async withFile(file, work) {
      const path = join(scratch, '.unpacked')
      try {
        await pipeline(streamOf(tar, entryOf(file)), createWriteStream(path, { mode: 0o600 }))
        return await work(path)
      } finally {
        await rm(path, { force: true })
      }
    },
    async verify(file) {
      const found = await checksumOf(streamOf(tar, entryOf(file)))
      if (found.bytes === file.bytes && found.sha256 === file.sha256) return
      throw new OperatorError(
        `${file.path} in ${tar} differs from the manifest: it was changed or is damaged. Copy it again, or use another backup.`,
      )
    },
  }
}

function streamOf(tar: string, { offset, bytes }: TarEntry) {
  // `end` is inclusive, so an empty file needs another way.
  return bytes === 0 ? Readable.from([]) : createReadStream(tar, { start: offset, end: offset + bytes - 1 })
}
