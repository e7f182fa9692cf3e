import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { ThrottleStore } from './throttle-store.js'

export type OpenThrottleStore = () => Promise<{ readonly throttle: ThrottleStore } & Closable>

/** What a `ThrottleStore` promises. `open` gives an empty one. */
export function throttleStoreContract(open: OpenThrottleStore): void {
  describe('ThrottleStore', () => {
    let store: Awaited<ReturnType<OpenThrottleStore>>
    let throttle: ThrottleStore
    beforeEach(async () => {
      store = await open()
      throttle = store.throttle
    })
    afterEach(() => store.close())

    const few = { key: 'few', limit: 2, window: 1_000 }
    const many = { key: 'many', limit: 5, window: 10_000 }

    it('counts tries up to the limit and then says how long to wait', async () => {
      expect(await throttle.take([few], 100)).toBeUndefined()
      expect(await throttle.take([few], 200)).toBeUndefined()
      expect(await throttle.take([few], 300)).toBe(800)
      expect(await throttle.take([few], 1_099)).toBe(1)
      expect(await throttle.take([few], 1_100)).toBeUndefined()
      expect(await throttle.take([few], 1_100)).toBeUndefined()
      expect(await throttle.take([few], 1_100)).toBe(1_000)
    })

    it('counts under every budget or under none', async () => {
      await throttle.take([few, many], 100)
      await throttle.take([few, many], 100)
      expect(await throttle.take([many, few], 100)).toBe(1_000)
      expect(await throttle.take([few, many], 100)).toBe(1_000)
      for (let n = 0; n < 3; n += 1) expect(await throttle.take([many], 100)).toBeUndefined()
      expect(await throttle.take([many], 100)).toBe(10_000)
    })

    it('gives a try back, and begins anew when told to', async () => {
      await throttle.take([few], 100)
      await throttle.take([few], 100)
      await throttle.giveBack(['few', 'none'])
      expect(await throttle.take([few], 100)).toBeUndefined()
      expect(await throttle.take([few], 100)).toBe(1_000)
      await throttle.clear(['few'])
      expect(await throttle.take([few], 100)).toBeUndefined()
      expect(await throttle.take([few], 100)).toBeUndefined()
    })

    it('gives back no more than was taken', async () => {
      await throttle.take([few], 100)
      for (let n = 0; n < 5; n += 1) await throttle.giveBack(['few'])
      await throttle.take([few], 100)
      await throttle.take([few], 100)
      expect(await throttle.take([few], 100)).toBe(1_000)
    })

    it('lets as many racing callers through as there are tries', async () => {
      const tries = Array.from({ length: 20 }, () => throttle.take([few, many], 100))
      const answers = await Promise.all(tries)
      expect(answers.filter((wait) => wait === undefined)).toHaveLength(2)
    })
  })
}
