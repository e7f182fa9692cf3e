import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { LinkStore } from './link-store.js'

type Stores = { readonly links: LinkStore } & Closable

/** What a `LinkStore` promises about titles. `open` gives an empty store whose default domain is `domain`. */
export function titlesContract(open: () => Promise<Stores>, domain: string): void {
  describe('LinkStore: titles', () => {
    const longUrl = 'https://example.com/'
    const stores = storesOfEachTest(open)
    let id: string
    beforeEach(async () => {
      const owner = { groupGuid: 'B1', organizationGuid: 'O1', createdBy: 'ada', clientId: undefined }
      const draft = { ...owner, domain, longUrl, at: 1 }
      let drawn = 0
      id = (await stores.links.findOrInsert(draft, () => `hash${drawn++}`)).link.id
    })

    it('gives a link without a title one', async () => {
      expect(await stores.links.fillTitle(id, longUrl, 'Example – 例')).toBe(true)
      expect((await stores.links.get(id))?.title).toBe('Example – 例')
    })

    it('leaves a title alone', async () => {
      await stores.links.fillTitle(id, longUrl, 'first')
      expect(await stores.links.fillTitle(id, longUrl, 'second')).toBe(false)
      expect((await stores.links.get(id))?.title).toBe('first')
    })

    it('gives no title to a link that leads elsewhere by now', async () => {
      expect(await stores.links.fillTitle(id, 'https://example.com/before', 'old')).toBe(false)
      expect((await stores.links.get(id))?.title).toBeUndefined()
    })

    it('answers false for a link that does not exist', async () => {
      expect(await stores.links.fillTitle(`${domain}/none`, longUrl, 'title')).toBe(false)
    })

    it('lets one of several win', async () => {
      const titles = ['a', 'b', 'c', 'd']
      const answers = await Promise.all(titles.map((title) => stores.links.fillTitle(id, longUrl, title)))
      expect(answers.filter((written) => written)).toHaveLength(1)
      expect((await stores.links.get(id))?.title).toBe(titles[answers.indexOf(true)])
    })
  })
}
