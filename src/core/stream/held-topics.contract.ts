import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { StreamStore } from './stream-store.js'

/** What a `StreamStore` promises about topics that readers of some process hold. */
export function heldTopicsContract(open: () => Promise<{ readonly streamStore: StreamStore } & Closable>): void {
  describe('StreamStore: held topics', () => {
    let stores: Awaited<ReturnType<typeof open>>
    beforeEach(async () => {
      stores = await open()
    })
    afterEach(() => stores.close())

    it('are held until their time is over', async () => {
      const { streamStore } = stores
      expect(await streamStore.heldTopics(0)).toEqual([])
      await streamStore.holdTopics(['clicks.O1', 'clicks.O2'], 100, 0)
      await streamStore.holdTopics(['clicks.O2'], 200, 50)
      expect(new Set(await streamStore.heldTopics(99))).toEqual(new Set(['clicks.O1', 'clicks.O2']))
      expect(await streamStore.heldTopics(100)).toEqual(['clicks.O2'])
      expect(await streamStore.heldTopics(200)).toEqual([])
    })

    it('are held as long as the last holder wants, whoever asks first', async () => {
      const { streamStore } = stores
      await Promise.all([300, 100, 200].map((until) => streamStore.holdTopics(['clicks.O1'], until, 0)))
      expect(await streamStore.heldTopics(299)).toEqual(['clicks.O1'])
      await streamStore.holdTopics([], 1000, 400)
      expect(await streamStore.heldTopics(0)).toEqual([])
    })
  })
}
