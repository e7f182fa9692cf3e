import { describe, expect, it } from 'vitest'
import type { AccountStores } from './stores.builder.js'
import { storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about tries. `open` gives an empty one. */
export function triesContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: tries', () => {
    const stores = storesOfEachTest(open)

    const few = { key: 'few', limit: 2, window: 1_000 }
    const many = { key: 'many', limit: 5, window: 10_000 }

    it('counts tries up to the limit and then says how long to wait', async () => {
      expect(await stores.accounts.countTry([few], 100)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 200)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 300)).toBe(800)
      expect(await stores.accounts.countTry([few], 1_099)).toBe(1)
      expect(await stores.accounts.countTry([few], 1_100)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 1_100)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 1_100)).toBe(1_000)
    })

    it('counts under every budget or under none', async () => {
      await stores.accounts.countTry([few, many], 100)
      await stores.accounts.countTry([few, many], 100)
      expect(await stores.accounts.countTry([many, few], 100)).toBe(1_000)
      expect(await stores.accounts.countTry([few, many], 100)).toBe(1_000)
      for (let n = 0; n < 3; n += 1) expect(await stores.accounts.countTry([many], 100)).toBeUndefined()
      expect(await stores.accounts.countTry([many], 100)).toBe(10_000)
    })

    it('gives a try back, and begins anew when told to', async () => {
      await stores.accounts.countTry([few], 100)
      await stores.accounts.countTry([few], 100)
      await stores.accounts.takeTryBack(['few', 'none'])
      expect(await stores.accounts.countTry([few], 100)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 100)).toBe(1_000)
      await stores.accounts.clearTries(['few'])
      expect(await stores.accounts.countTry([few], 100)).toBeUndefined()
      expect(await stores.accounts.countTry([few], 100)).toBeUndefined()
    })

    it('gives back no more than was taken', async () => {
      await stores.accounts.countTry([few], 100)
      for (let n = 0; n < 5; n += 1) await stores.accounts.takeTryBack(['few'])
      await stores.accounts.countTry([few], 100)
      await stores.accounts.countTry([few], 100)
      expect(await stores.accounts.countTry([few], 100)).toBe(1_000)
    })

    it('lets as many racing callers through as there are tries', async () => {
      const tries = Array.from({ length: 20 }, () => stores.accounts.countTry([few, many], 100))
      const answers = await Promise.all(tries)
      expect(answers.filter((wait) => wait === undefined)).toHaveLength(2)
    })
  })
}
