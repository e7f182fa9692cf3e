import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { ClickStore } from './click-store.js'
import { SharedSalts } from './shared-salts.js'
import { dayLength } from './visitor.js'

/** What a `ClickStore` promises about salts, and what becomes of it in the hands of several processes. */
export function saltsContract(open: () => Promise<{ readonly clickStore: ClickStore } & Closable>): void {
  describe('ClickStore: salts', () => {
    const stores = storesOfEachTest(open)

    it('keeps the salt that was drawn first for a day, and takes what is missing', async () => {
      const { clickStore } = stores
      expect(await clickStore.storeSalts(new Map([[7, 'a']]), 0)).toEqual(new Map([[7, 'a']]))
      const drawn = new Map([
        [7, 'x'],
        [8, 'b'],
      ])
      const kept = new Map([
        [7, 'a'],
        [8, 'b'],
      ])
      expect(await clickStore.storeSalts(drawn, 7)).toEqual(kept)
    })

    it('deletes salts of days that are over', async () => {
      const { clickStore } = stores
      await clickStore.storeSalts(new Map([[7, 'a']]), 0)
      expect(await clickStore.storeSalts(new Map([[9, 'c']]), 8)).toEqual(new Map([[9, 'c']]))
      expect(await clickStore.storeSalts(new Map([[7, 'new']]), 0)).toEqual(
        new Map([
          [7, 'new'],
          [9, 'c'],
        ]),
      )
    })

    it('gives all racers the same salts', async () => {
      const racers = Array.from({ length: 8 }, (_, index) =>
        stores.clickStore.storeSalts(new Map([1, 2].map((day) => [day, `${index}-${day}`])), 0),
      )
      const [first, ...others] = await Promise.all(racers)
      for (const other of others) expect(other).toEqual(first)
    })

    it('lets processes know yesterday, today and tomorrow, and nothing older', async () => {
      let now = 20_000 * dayLength
      let drawn = 0
      const aProcess = () =>
        SharedSalts.open({ ...stores, clock: { now: () => now }, draw: () => `salt ${drawn++}`, onFailure: () => {} })
      const [one, other] = [await aProcess(), await aProcess()]
      expect([...one.current.keys()].sort()).toEqual([19_999, 20_000, 20_001])
      expect(other.current).toEqual(one.current)
      const before = one.current.get(20_001)
      now += dayLength
      await one.refresh()
      expect([...one.current.keys()].sort()).toEqual([20_000, 20_001, 20_002])
      expect(one.current.get(20_001)).toBe(before)
      for (const each of [one, other]) each.close()
    })
  })
}
