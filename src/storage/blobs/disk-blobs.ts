/** Blobs as files: `<folder>/ab/abcdef...`. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Blobs, blobKeyShape } from '../../core/images/blobs.js'
import { storageFull } from '../../core/values/refusal.js'

export function diskBlobs(folder: string): Blobs {
  return {
    async put(key, bytes) {
      const file = fileOf(folder, key)
      // Complete or not there at all: a crash amid writing leaves another name.
      const unfinished = `${file}.${randomUUID()}.tmp`
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        const handle = await open(unfinished, 'wx', 0o600)
        try {
          await handle.writeFile(bytes)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(unfinished, file)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw isNoRoom(error) ? storageFull(error) : error
      }
    },

    async get(key) {
      try {
        return await readFile(fileOf(folder, key))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    remove: (key) => rm(fileOf(folder, key), { force: true }),
  }
}

/** Two letters in between: no folder has more files than a file system lists quickly. */
function fileOf(folder: string, key: string): string {
  if (!blobKeyShape.test(key)) throw new Error(`not a key of a blob: ${key}`)
  return join(folder, key.slice(0, 2), key)
}

function isNoRoom(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|EROFS|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')
}
