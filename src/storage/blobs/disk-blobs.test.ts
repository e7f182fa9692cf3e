import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blobsContract } from '../../core/images/blobs.contract.js'
import { diskBlobs } from './disk-blobs.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

blobsContract(async () => diskBlobs(join(folder, 'images')))

it('keeps one file for each key, for its own user alone, and nothing else', async () => {
  const blobs = diskBlobs(join(folder, 'images'))
  const key = `${'a'.repeat(64)}-0123456789`
  await Promise.all([1, 2, 3].map(() => blobs.put(key, Uint8Array.of(1), 'image/png')))
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  expect(names).toEqual(['images', 'images/aa', `images/aa/${key}`])
  expect(names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([])
})

it('reaches no file outside its folder', async () => {
  const blobs = diskBlobs(folder)
  await expect(blobs.get('../../etc/passwd')).rejects.toThrow('not a key')
  expect(() => blobs.remove('..')).toThrow('not a key')
})
