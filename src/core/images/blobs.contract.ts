import { describe, expect, it } from 'vitest'
import type { Blobs } from './blobs.js'

/** What `Blobs` promise. */
export function blobsContract(open: () => Promise<Blobs>): void {
  describe('Blobs', () => {
    const key = (letter: string) => `${letter.repeat(64)}-0123456789`
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)

    it('gives back the bytes that were put', async () => {
      const blobs = await open()
      await blobs.put(key('a'), bytes, 'image/png')
      await blobs.put(key('b'), Uint8Array.of(7), 'image/svg+xml')
      expect(Buffer.from((await blobs.get(key('a'))) ?? []).equals(bytes)).toBe(true)
      expect([...((await blobs.get(key('b'))) ?? [])]).toEqual([7])
    })

    it('has nothing under other keys', async () => {
      expect(await (await open()).get(key('c'))).toBeUndefined()
    })

    it('takes the same bytes twice, also at once', async () => {
      const blobs = await open()
      await Promise.all([1, 2, 3].map(() => blobs.put(key('d'), bytes, 'image/png')))
      expect(Buffer.from((await blobs.get(key('d'))) ?? []).equals(bytes)).toBe(true)
    })

    it('removes one, and may be asked to again', async () => {
      const blobs = await open()
      await blobs.put(key('e'), bytes, 'image/png')
      await blobs.put(key('f'), bytes, 'image/png')
      await blobs.remove(key('e'))
      await blobs.remove(key('e'))
      expect(await blobs.get(key('e'))).toBeUndefined()
      expect(await blobs.get(key('f'))).toBeDefined()
    })
  })
}
