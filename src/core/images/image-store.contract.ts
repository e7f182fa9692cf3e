import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { GroupStore } from '../accounts/group-store.js'
import { mine, openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { ImageStore, NewImage } from './image-store.js'

type Stores = {
  readonly images: ImageStore
  readonly accounts: AccountStore
  readonly groups: GroupStore
} & Closable

const red = 'a'.repeat(64)
const blue = 'b'.repeat(64)
const keyOf = (sha256: string, generation = 1) => `${sha256}-${String(generation).padStart(10, '0')}`

/** What an `ImageStore` promises. `open` gives an empty store. */
export function imageStoreContract(open: () => Promise<Stores>): void {
  describe('ImageStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open, mine))
    let images: ImageStore
    beforeEach(async () => {
      images = stores.images
      await stores.groups.addGroup({ guid: 'Bother', name: 'other', organizationGuid: 'Omine', at: 1 })
    })

    /** As an upload does: the blob is listed, written, and then used. */
    async function upload(change: Partial<NewImage> = {}): Promise<'added' | 'no-blob' | 'no-group' | 'too-many'> {
      const image = anImage(change)
      if (image.blobKey !== undefined) await images.addUnusedBlob(image.blobKey, 1000)
      return images.add(image)
    }

    it('keeps everything that is said about an image, and knows its organization', async () => {
      expect(await upload()).toBe('added')
      const { limit: _, ...fields } = anImage()
      expect(await images.find('Ione')).toEqual({ ...fields, organizationGuid: 'Omine' })
      expect(await images.find('Inone')).toBeUndefined()
    })

    it('renames an image, and changes nothing else', async () => {
      await upload()
      const before = await images.find('Ione')
      expect(await images.rename('Ione', 'Logo')).toEqual({ ...before, name: 'Logo' })
      expect(await images.find('Ione')).toEqual({ ...before, name: 'Logo' })
      expect(await images.rename('Inone', 'Logo')).toBeUndefined()
    })

    it('adds nothing to a group that does not exist, and its blob stays unused', async () => {
      expect(await upload({ groupGuid: 'Bnone' })).toBe('no-group')
      expect(await images.find('Ione')).toBeUndefined()
      expect(await images.unusedBlobs(1000)).toEqual([keyOf(red)])
    })

    it('shares the blob of images with the same bytes, in any group', async () => {
      await upload()
      expect(await images.add(anImage({ guid: 'Itwo', groupGuid: 'Bother', blobKey: undefined }))).toBe('added')
      expect((await images.find('Itwo'))?.blobKey).toBe(keyOf(red))
      expect(await images.add(anImage({ guid: 'Ithree', sha256: blue, blobKey: undefined }))).toBe('no-blob')
      expect(await images.find('Ithree')).toBeUndefined()
    })

    it('leaves the second blob of the same bytes unused', async () => {
      await upload()
      await upload({ guid: 'Itwo', blobKey: keyOf(red, 2) })
      expect((await images.find('Itwo'))?.blobKey).toBe(keyOf(red))
      expect(await images.unusedBlobs(1000)).toEqual([keyOf(red, 2)])
    })

    it('does not use a blob that is due, or that is not listed', async () => {
      await images.addUnusedBlob(keyOf(red), 2)
      expect(await images.add(anImage({ createdAt: 2 }))).toBe('no-blob')
      expect(await images.add(anImage({ blobKey: keyOf(red, 2) }))).toBe('no-blob')
      expect(await images.unusedBlobs(2)).toEqual([keyOf(red)])
    })

    it('lists unused blobs from when they are due until they are forgotten', async () => {
      await images.addUnusedBlob(keyOf(red), 50)
      await images.addUnusedBlob(keyOf(blue), 60)
      expect(await images.unusedBlobs(49)).toEqual([])
      expect(await images.unusedBlobs(50)).toEqual([keyOf(red)])
      await images.forgetUnusedBlob(keyOf(red))
      expect(await images.unusedBlobs(1000)).toEqual([keyOf(blue)])
    })

    it('gives a blob up with the last image that uses it', async () => {
      await upload()
      await upload({ guid: 'Itwo', blobKey: undefined })
      expect(await images.remove('Ione', 70)).toBe('removed')
      expect(await images.unusedBlobs(1000)).toEqual([])
      expect(await images.remove('Itwo', 70)).toBe('removed')
      expect(await images.unusedBlobs(69)).toEqual([])
      expect(await images.unusedBlobs(70)).toEqual([keyOf(red)])
      expect(await images.remove('Itwo', 71)).toBe('no-image')
    })

    it('never uses a blob again that was given up', async () => {
      await upload()
      await images.remove('Ione', 70)
      expect(await images.add(anImage({ guid: 'Itwo', blobKey: undefined }))).toBe('no-blob')
      expect(await upload({ guid: 'Itwo', blobKey: keyOf(red, 2) })).toBe('added')
      expect((await images.find('Itwo'))?.blobKey).toBe(keyOf(red, 2))
      expect(await images.unusedBlobs(1000)).toEqual([keyOf(red)])
    })

    it('never gives up a blob that an image being added at the same moment uses', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [first, second] = [`Ifirst${round}`, `Isecond${round}`]
        await upload({ guid: first, blobKey: keyOf(red, round) })
        const [removed, added] = await Promise.all([
          images.remove(first, 70),
          images.add(anImage({ guid: second, blobKey: undefined })),
        ])
        expect(removed).toBe('removed')
        const unused = await images.unusedBlobs(70)
        // Either the new image has the blob, or nobody has and it came too late.
        if (added === 'added') {
          expect(unused).not.toContain(keyOf(red, round))
          await images.remove(second, 70)
        } else expect([added, unused.includes(keyOf(red, round))]).toEqual(['no-blob', true])
        expect(await images.unusedBlobs(70)).toContain(keyOf(red, round))
      }
    })

    it('gives racing uploads of the same bytes one blob, and lists the others as unused', async () => {
      const numbers = [1, 2, 3, 4, 5, 6]
      const answers = await Promise.all(
        numbers.map((number) => upload({ guid: `I${number}`, blobKey: keyOf(red, number) })),
      )
      expect(answers).toEqual(numbers.map(() => 'added'))
      const keys = new Set(await Promise.all(numbers.map(async (number) => (await images.find(`I${number}`))?.blobKey)))
      expect(keys.size).toBe(1)
      expect(await images.unusedBlobs(1000)).toHaveLength(5)
      expect(await images.unusedBlobs(1000)).not.toContain([...keys][0])
    })

    it('gives the blob up once when its images are removed at once', async () => {
      await upload()
      for (const guid of ['Itwo', 'Ithree', 'Ifour']) await upload({ guid, blobKey: undefined })
      const guids = ['Ione', 'Itwo', 'Ithree', 'Ifour', 'Ione']
      const answers = await Promise.all(guids.map((guid) => images.remove(guid, 70)))
      expect(answers.filter((answer) => answer === 'removed')).toHaveLength(4)
      expect(await images.unusedBlobs(70)).toEqual([keyOf(red)])
    })

    it('keeps the limit of a group when several images are added at once', async () => {
      await upload({ guid: 'I0', limit: 4 })
      const guids = ['I1', 'I2', 'I3', 'I4', 'I5']
      const answers = await Promise.all(
        guids.map((guid) => images.add(anImage({ guid, limit: 4, blobKey: undefined }))),
      )
      expect(answers.filter((answer) => answer === 'added')).toHaveLength(3)
      expect(answers.filter((answer) => answer === 'too-many')).toHaveLength(2)
      expect(await images.add(anImage({ guid: 'I6', groupGuid: 'Bother', limit: 4, blobKey: undefined }))).toBe('added')
    })

    it('lists the images of a group page by page, newest first', async () => {
      await upload({ guid: 'Ia', createdAt: 5 })
      await upload({ guid: 'Ic', createdAt: 7, blobKey: undefined })
      await upload({ guid: 'Ib', createdAt: 7, blobKey: undefined })
      await upload({ guid: 'Id', createdAt: 6, blobKey: undefined })
      await upload({ guid: 'Ie', createdAt: 9, groupGuid: 'Bother', blobKey: undefined })
      const page = (after?: { createdAt: number; guid: string }, size = 2) =>
        images.page({ groupGuid: 'Bmine', after, size }).then((found) => found.map(({ guid }) => guid))
      expect(await page()).toEqual(['Ic', 'Ib'])
      expect(await page({ createdAt: 7, guid: 'Ic' })).toEqual(['Ib', 'Id'])
      expect(await page({ createdAt: 6, guid: 'Id' })).toEqual(['Ia'])
      expect(await page({ createdAt: 5, guid: 'Ia' })).toEqual([])
      expect((await images.page({ groupGuid: 'Bother', after: undefined, size: 9 }))[0]).toMatchObject({
        organizationGuid: 'Omine',
        blobKey: keyOf(red),
      })
    })
  })
}

const anImage = sampleOf<NewImage>({
  guid: 'Ione',
  groupGuid: 'Bmine',
  sha256: red,
  blobKey: keyOf(red),
  mimeType: 'image/png',
  width: 3,
  height: 2,
  size: 70,
  name: 'Logo',
  createdAt: 2,
  createdBy: 'ada',
  limit: 100,
})
