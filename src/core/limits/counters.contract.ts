import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Counters, Endpoint, Requester } from './platform.js'

/** What `Counters` promise. `open` may be called several times in a test: each is what another process would have. */
export function countersContract(open: () => Promise<Counters>, shared: boolean): void {
  describe('Counters', () => {
    const hour = Date.parse('2026-03-18T14:00:00Z')
    const minute = hour + 35 * 60_000
    const endpoint = (input: Partial<Endpoint> = {}): Endpoint => ({
      id: 0,
      method: 'POST',
      path: '/v4/shorten',
      perAccount: { hour: 100, minute: 10 },
      perAddress: undefined,
      ...input,
    })
    const ada: Requester = { account: 'ada', address: '192.0.2.1' }
    const opened: Counters[] = []
    let counters: Counters
    async function another(): Promise<Counters> {
      const one = await open()
      opened.push(one)
      return one
    }
    beforeEach(async () => {
      counters = await another()
    })
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close()
    })
    /** How many of so many requests at once are let through. */
    async function admitted(count: number, at: number, where = endpoint(), requester = ada, by = [counters]) {
      const tries = Array.from({ length: count }, (_, index) => by[index % by.length]?.take(where, requester, at))
      const answers = await Promise.all(tries)
      return answers.filter((answer) => answer && !answer.refused).length
    }

    it('let a tenth through in a minute, and begin again with the next full minute', async () => {
      expect(await admitted(25, minute + 59_000)).toBe(10)
      expect(await admitted(25, minute + 59_999)).toBe(0)
      expect(await admitted(25, minute + 60_000)).toBe(10)
    })

    it('let an hour’s worth through, and begin again with the next full hour', async () => {
      for (let each = 0; each < 12; each++) await admitted(10, hour + each * 60_000)
      expect(await counters.thisHour([endpoint()], 'ada', hour + 12 * 60_000)).toEqual([100])
      const refused = await counters.take(endpoint(), ada, hour + 3_599_999)
      expect(refused).toEqual({
        refused: true,
        window: 'account per hour',
        limit: 100,
        remaining: 0,
        resetAt: hour + 3_600_000,
      })
      expect(await admitted(25, hour + 3_600_000)).toBe(10)
      expect(await counters.thisHour([endpoint()], 'ada', hour + 3_600_000)).toEqual([10])
    })

    it('tell how much is left of the tightest window', async () => {
      const next = { refused: false, window: 'account per minute', limit: 10, resetAt: minute + 60_000 }
      expect(await counters.take(endpoint(), ada, minute)).toEqual({ ...next, remaining: 9 })
      expect(await counters.take(endpoint(), ada, minute)).toEqual({ ...next, remaining: 8 })
      const both = endpoint({ id: 1, path: '/v4/bsds', perAddress: { hour: 3, minute: 3 } })
      expect(await counters.take(both, ada, minute)).toMatchObject({ window: 'address per hour', remaining: 2 })
    })

    it('count accounts, addresses and endpoints apart', async () => {
      const where = endpoint({ perAddress: { hour: 150, minute: 15 } })
      expect(await admitted(12, minute, where)).toBe(10)
      expect(await admitted(12, minute, where, { account: 'bob', address: '192.0.2.1' })).toBe(5)
      expect(await admitted(12, minute, where, { account: 'bob', address: '192.0.2.2' })).toBe(5)
      const other = endpoint({ id: 1, method: 'GET', path: '/v4/user' })
      expect(await admitted(12, minute, other)).toBe(10)
      expect(await counters.thisHour([where, other], 'bob', minute)).toEqual([10, 0])
    })

    it('count a refused request for nobody', async () => {
      const where = endpoint({ perAddress: { hour: 20, minute: 2 } })
      expect(await admitted(9, minute, where)).toBe(2)
      // The account has spent two, not nine.
      expect(await admitted(9, minute, where, { account: 'ada', address: '192.0.2.9' })).toBe(2)
      expect(await counters.thisHour([where], 'ada', minute)).toEqual([4])
    })

    it('count for the address alone where there is no account', async () => {
      const where = endpoint({ perAddress: { hour: 20, minute: 2 } })
      expect(await admitted(5, minute, where, { account: undefined, address: '192.0.2.1' })).toBe(2)
      expect(await counters.take(where, ada, minute)).toMatchObject({ refused: true, window: 'address per minute' })
    })

    it('count nothing where nothing is limited', async () => {
      expect(await counters.take(endpoint({ perAccount: undefined }), ada, minute)).toBeUndefined()
      expect(await counters.thisHour([], 'ada', minute)).toEqual([])
    })

    if (!shared) return
    it('are exact across processes that share them, however they race', async () => {
      const both = [counters, await another()]
      const where = endpoint({ perAccount: { hour: 500, minute: 50 } })
      expect(await admitted(200, minute, where, ada, both)).toBe(50)
      expect(await both[1]?.thisHour([where], 'ada', minute)).toEqual([50])
      for (let each = 1; each < 10; each++) await admitted(50, minute + each * 60_000, where, ada, both)
      expect(await admitted(200, minute + 600_000, where, ada, both)).toBe(0)
      expect(await admitted(200, hour + 3_600_000, where, ada, both)).toBe(50)
    })
  })
}
