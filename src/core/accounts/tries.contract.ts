import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AccountStore } from './account-store.js'
import type { AccountStores } from './stores.builder.js'

/** What an `AccountStore` promises about tries. `open` gives an empty one. */
export function triesContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: tries', () => {
    let store: AccountStores
    let accounts: AccountStore
    beforeEach(async () => {
      store = await open()
      accounts = store.accounts
    })
    afterEach(() => store.close())

    const few = { key: 'few', limit: 2, window: 1_000 }
    const many = { key: 'many', limit: 5, window: 10_000 }

    it('counts tries up to the limit and then says how long to wait', async () => {
      expect(await accounts.countTry([few], 100)).toBeUndefined()
      expect(await accounts.countTry([few], 200)).toBeUndefined()
      expect(await accounts.countTry([few], 300)).toBe(800)
      expect(await accounts.countTry([few], 1_099)).toBe(1)
      expect(await accounts.countTry([few], 1_100)).toBeUndefined()
      expect(await accounts.countTry([few], 1_100)).toBeUndefined()
      expect(await accounts.countTry([few], 1_100)).toBe(1_000)
    })

    it('counts under every budget or under none', async () => {
      await accounts.countTry([few, many], 100)
      await accounts.countTry([few, many], 100)
      expect(await accounts.countTry([many, few], 100)).toBe(1_000)
      expect(await accounts.countTry([few, many], 100)).toBe(1_000)
      for (let n = 0; n < 3; n += 1) expect(await accounts.countTry([many], 100)).toBeUndefined()
      expect(await accounts.countTry([many], 100)).toBe(10_000)
    })

    it('gives a try back, and begins anew when told to', async () => {
      await accounts.countTry([few], 100)
      await accounts.countTry([few], 100)
      await accounts.takeTryBack(['few', 'none'])
      expect(await accounts.countTry([few], 100)).toBeUndefined()
      expect(await accounts.countTry([few], 100)).toBe(1_000)
      await accounts.clearTries(['few'])
      expect(await accounts.countTry([few], 100)).toBeUndefined()
      expect(await accounts.countTry([few], 100)).toBeUndefined()
    })

    it('gives back no more than was taken', async () => {
      await accounts.countTry([few], 100)
      for (let n = 0; n < 5; n += 1) await accounts.takeTryBack(['few'])
      await accounts.countTry([few], 100)
      await accounts.countTry([few], 100)
      expect(await accounts.countTry([few], 100)).toBe(1_000)
    })

    it('lets as many racing callers through as there are tries', async () => {
      const tries = Array.from({ length: 20 }, () => accounts.countTry([few, many], 100))
      const answers = await Promise.all(tries)
      expect(answers.filter((wait) => wait === undefined)).toHaveLength(2)
    })
  })
}
