import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { SiteIconStore } from './site-icon-store.js'

/** What a `SiteIconStore` promises. `open` gives an empty store. */
export function siteIconStoreContract(open: () => Promise<{ readonly siteIcons: SiteIconStore } & Closable>): void {
  describe('SiteIconStore', () => {
    const stores = storesOfEachTest(open)
    const anIcon = (host: string, fetchedAt: number) => ({ host, image: `data:image/png;base64,${host}`, fetchedAt })
    const hosts = async (...asked: string[]) => (await stores.siteIcons.find(asked)).map(({ host }) => host).toSorted()

    it('finds the icons of the hosts that are asked for', async () => {
      for (const host of ['a.example', 'b.example:8080', 'c.example']) await stores.siteIcons.save(anIcon(host, 1), 10)
      expect(await hosts('b.example:8080', 'a.example', 'unknown.example')).toEqual(['a.example', 'b.example:8080'])
      expect(await stores.siteIcons.find(['c.example'])).toEqual([anIcon('c.example', 1)])
      expect(await stores.siteIcons.find([])).toEqual([])
    })

    it('replaces an icon, also when several do at once', async () => {
      await Promise.all([1, 2, 3].map((at) => stores.siteIcons.save(anIcon('a.example', at), 10)))
      await stores.siteIcons.save({ ...anIcon('a.example', 9), image: 'data:new' }, 10)
      expect(await stores.siteIcons.find(['a.example'])).toEqual([
        { host: 'a.example', image: 'data:new', fetchedAt: 9 },
      ])
    })

    it('keeps as many as it may, those that were fetched last', async () => {
      for (const [host, at] of [
        ['a', 3],
        ['b', 1],
        ['c', 2],
        ['d', 4],
      ] as const) {
        await stores.siteIcons.save(anIcon(host, at), 3)
      }
      expect(await hosts('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd'])
    })
  })
}
