import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { StreamStore } from './stream-store.js'

/** What a `StreamStore` promises about leased cursors. */
export function leasedCursorsContract(open: () => Promise<{ readonly streamStore: StreamStore } & Closable>): void {
  describe('StreamStore: leased cursors', () => {
    const stores = storesOfEachTest(open)

    const take = (holder: string, now: number, from = 7) =>
      stores.streamStore.takeCursor('links', holder, { from, now, staleBefore: now - 100 })

    it('begins where the first who asks wants to, and goes on where it was moved to', async () => {
      expect(await take('one', 1_000_000_000_000)).toBe(7)
      expect(await stores.streamStore.moveCursor('links', 'one', 1_700_000_000_123, 1_000_000_000_001)).toBe(true)
      expect(await take('one', 1_000_000_000_002, 9)).toBe(1_700_000_000_123)
    })

    it('is for one at a time', async () => {
      await take('one', 1000)
      expect(await take('other', 1050)).toBeUndefined()
      expect(await stores.streamStore.moveCursor('links', 'other', 99, 1050)).toBe(false)
      expect(await take('one', 1060)).toBe(7)
    })

    it('goes to another when the one who had it has not moved for too long, or has left', async () => {
      await take('one', 1000)
      await stores.streamStore.moveCursor('links', 'one', 50, 1010)
      expect(await take('other', 1105)).toBeUndefined()
      expect(await take('other', 1111)).toBe(50)
      expect(await stores.streamStore.moveCursor('links', 'one', 60, 1112)).toBe(false)
      await stores.streamStore.leaveCursor('links', 'one')
      expect(await take('third', 1113)).toBeUndefined()
      await stores.streamStore.leaveCursor('links', 'other')
      expect(await take('third', 1114)).toBe(50)
    })

    it('goes to another as well when the clock of the one who had it was ahead', async () => {
      await take('one', 5000)
      expect(await take('other', 1000)).toBeUndefined()
      expect(await take('other', 1100)).toBeUndefined()
      expect(await take('other', 1101)).toBe(7)
    })

    it('keeps each name apart', async () => {
      await take('one', 1000)
      const claim = { from: 3, now: 1000, staleBefore: 900 }
      expect(await stores.streamStore.takeCursor('else', 'other', claim)).toBe(3)
      expect(await stores.streamStore.moveCursor('none', 'one', 5, 1000)).toBe(false)
    })

    it('gives one of many the turn when they race for it, at first and when it has become free', async () => {
      for (const now of [1000, 2000]) {
        const racers = Array.from({ length: 8 }, (_, index) => take(`${now}-${index}`, now))
        expect((await Promise.all(racers)).filter((position) => position !== undefined)).toEqual([7])
      }
    })
  })
}
