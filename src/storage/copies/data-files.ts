/** The small files of a data directory that belong to a backup. */
import { existsSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { DataFiles } from '../../core/copies/make-backup.js'
import { copySqlite } from './copy-sqlite.js'

/** Positions, and the identity of the data directory (docs/operating.md#files). */
const plainFiles = ['nsqd-positions.json', 'click-log.id']
const streamFile = 'stream.sqlite'
/** Milliseconds. The stream saves which messages are finished ten times a second; the records may know of them before. */
const positionsSaved = 300

/** What lets somebody read second factors, recognise visitors, or pretend to be the stream. */
const secretFiles = [
  'secrets.key',
  'visitor-salts.json',
  'stream-ca.pem',
  'stream-ca-key.pem',
  'stream-certificate.pem',
  'stream-key.pem',
]

export function dataFilesOf(dataDir: string): DataFiles {
  const present = (names: readonly string[]) => names.filter((name) => existsSync(join(dataDir, name)))
  return {
    async copy(folder) {
      const [stream] = present([streamFile])
      if (stream) {
        await wait(positionsSaved)
        copySqlite(join(dataDir, stream), join(folder, stream))
      }
      const names = present(plainFiles)
      for (const name of names) await copyFile(join(dataDir, name), join(folder, name))
      return stream ? [stream, ...names] : names
    },
    async secrets() {
      const files = present(secretFiles).map(async (name) => [name, await readFile(join(dataDir, name))] as const)
      return Object.fromEntries(await Promise.all(files))
    },
  }
}
