import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { ClickStore, LeaseRow } from './click-store.js'
import { claimClickLog, claimLease, clickLogLease, HeldLease, moveClickLog } from './lease.js'

interface Leases extends Closable {
  readonly clickStore: ClickStore
}

/** What a `ClickStore` promises about leases, and what becomes of it in the hands of several processes. */
export function leasesContract(open: () => Promise<Leases>): void {
  describe('ClickStore: leases', () => {
    const stores = storesOfEachTest(open)

    const home = (id: string, more: Partial<LeaseRow> = {}): LeaseRow => ({
      id,
      place: `${id} on web1`,
      holder: `process of ${id}`,
      heartbeat: 1,
      ...more,
    })

    it('is empty at first, and keeps what is written', async () => {
      expect(await stores.clickStore.lease(clickLogLease).read()).toBeUndefined()
      expect(await stores.clickStore.lease(clickLogLease).replace(undefined, home('one'))).toBe(true)
      expect(await stores.clickStore.lease(clickLogLease).read()).toEqual(home('one'))
    })

    it('changes only what was seen', async () => {
      await stores.clickStore.lease(clickLogLease).replace(undefined, home('one'))
      expect(await stores.clickStore.lease(clickLogLease).replace(undefined, home('two'))).toBe(false)
      expect(await stores.clickStore.lease(clickLogLease).replace(home('one', { heartbeat: 7 }), home('two'))).toBe(
        false,
      )
      expect(await stores.clickStore.lease(clickLogLease).replace(home('one', { holder: 'else' }), home('two'))).toBe(
        false,
      )
      expect(await stores.clickStore.lease(clickLogLease).read()).toEqual(home('one'))
      expect(await stores.clickStore.lease(clickLogLease).replace(home('one'), home('two', { heartbeat: 2 }))).toBe(
        true,
      )
      expect(await stores.clickStore.lease(clickLogLease).read()).toEqual(home('two', { heartbeat: 2 }))
    })

    it('lets one of many racers through, at first and later', async () => {
      for (const seen of [undefined, home('0')]) {
        const racers = Array.from({ length: 8 }, (_, index) => home(String(index), { heartbeat: 2 }))
        if (seen)
          await stores.clickStore
            .lease(clickLogLease)
            .replace(await stores.clickStore.lease(clickLogLease).read(), seen)
        const won = await Promise.all(racers.map((next) => stores.clickStore.lease(clickLogLease).replace(seen, next)))
        expect(won.filter(Boolean)).toHaveLength(1)
        expect(await stores.clickStore.lease(clickLogLease).read()).toEqual(racers[won.indexOf(true)])
      }
    })

    describe('of the click log', () => {
      /** Simulates the heartbeats of the holder while a claimant watches. */
      let meanwhile: () => Promise<unknown>
      beforeEach(() => {
        meanwhile = async () => undefined
      })
      const claim = (id: string, holder: string, place = `${id} on web1`) =>
        claimClickLog({ lease: stores.clickStore.lease(clickLogLease), wait: () => meanwhile() }, { id, holder, place })
      const beat = async () => {
        const seen = await stores.clickStore.lease(clickLogLease).read()
        if (seen) await stores.clickStore.lease(clickLogLease).replace(seen, { ...seen, heartbeat: seen.heartbeat + 1 })
      }

      it('belongs to the first data directory, also when that is stopped', async () => {
        expect(await claim('one', 'a')).toMatchObject({ held: { id: 'one', holder: 'a' } })
        expect(await claim('two', 'b')).toMatchObject({ refused: 'elsewhere', by: { place: 'one on web1' } })
        const held = await stores.clickStore.lease(clickLogLease).read()
        await new HeldLease(stores.clickStore.lease(clickLogLease), held as LeaseRow).close()
        expect(await stores.clickStore.lease(clickLogLease).read()).toMatchObject({ holder: '' })
        expect(await claim('two', 'b')).toMatchObject({ refused: 'elsewhere' })
        meanwhile = () => Promise.reject(new Error('there is nothing to wait for'))
        expect(await claim('one', 'c', 'one on web2')).toMatchObject({ held: { place: 'one on web2' } })
      })

      it('starts again at once in the same place after a crash', async () => {
        await claim('one', 'a')
        meanwhile = () => Promise.reject(new Error('there is nothing to wait for'))
        expect(await claim('one', 'b')).toMatchObject({ held: { holder: 'b' } })
      })

      it('follows its data directory to another host, unless it is a copy whose original lives', async () => {
        await claim('one', 'a')
        meanwhile = beat
        expect(await claim('one', 'b', 'one on web2')).toMatchObject({ refused: 'in use', by: { holder: 'a' } })
        meanwhile = async () => undefined
        expect(await claim('one', 'b', 'one on web2')).toMatchObject({ held: { holder: 'b' } })
      })

      it('is moved on purpose, though not from under a process that lives', async () => {
        const move = (id: string) =>
          moveClickLog(
            { lease: stores.clickStore.lease(clickLogLease), wait: () => meanwhile() },
            { id, holder: '', place: `${id} on web1` },
          )
        await claim('one', 'a')
        meanwhile = beat
        expect(await move('two')).toMatchObject({ refused: 'in use', by: { id: 'one' } })
        meanwhile = async () => undefined
        expect(await move('two')).toMatchObject({ held: { id: 'two' } })
        expect(await claim('one', 'a')).toMatchObject({ refused: 'elsewhere' })
        expect(await claim('two', 'b')).toMatchObject({ held: { holder: 'b' } })
      })

      it('gives one of many racers the lease', async () => {
        const claims = await Promise.all(Array.from({ length: 6 }, (_, index) => claim(`data ${index}`, `${index}`)))
        expect(claims.filter((claimed) => 'held' in claimed)).toHaveLength(1)
      })
    })

    describe('of a file that is imported', () => {
      const claim = (holder: string, wait: () => Promise<unknown>, fileId = 'import-1') =>
        claimLease({ lease: stores.clickStore.lease(fileId), wait }, { id: fileId, holder, place: `${holder} on web1` })
      /** Waiting for a process that lives shows its heartbeat. */
      const alive = async () => {
        const lease = stores.clickStore.lease('import-1')
        const seen = await lease.read()
        if (seen && seen.holder !== 'crashed') await lease.replace(seen, { ...seen, heartbeat: seen.heartbeat + 1 })
      }

      it('is held by one of many racers, and the others are told by whom', async () => {
        const claims = await Promise.all(Array.from({ length: 6 }, (_, index) => claim(`process ${index}`, alive)))
        const winner = claims.findIndex((claimed) => 'held' in claimed)
        for (const [index, claimed] of claims.entries()) {
          if (index === winner) expect(claimed).toMatchObject({ held: { holder: `process ${winner}` } })
          else expect(claimed).toMatchObject({ refused: 'in use', by: { place: `process ${winner} on web1` } })
        }
      })

      it('is apart from other files and from the click log', async () => {
        expect(await claim('a', alive)).toMatchObject({ held: { holder: 'a' } })
        expect(await claim('b', alive, 'import-2')).toMatchObject({ held: { holder: 'b' } })
        expect(await stores.clickStore.lease(clickLogLease).read()).toBeUndefined()
      })

      it('shows by its own heartbeat that it lives', async () => {
        const claimed = await claim('a', alive)
        if (!('held' in claimed)) throw new Error('it was free')
        const held = new HeldLease(stores.clickStore.lease('import-1'), claimed.held)
        const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
        const lease = stores.clickStore.lease('import-1')
        const other = { id: 'import-1', holder: 'b', place: 'b on web1' }
        expect(await claimLease({ lease, wait }, other)).toMatchObject({ refused: 'in use', by: { holder: 'a' } })
        expect(held.lost).toBeUndefined()
        await held.close()
      })

      it('leaves nothing behind when it is done, and is free at once', async () => {
        const claimed = await claim('a', alive)
        if (!('held' in claimed)) throw new Error('it was free')
        const lease = stores.clickStore.lease('import-1')
        await new HeldLease(lease, claimed.held, { releasedRow: () => undefined }).close()
        expect(await lease.read()).toBeUndefined()
        const nothingToWaitFor = () => Promise.reject(new Error('there is nothing to wait for'))
        expect(await claim('b', nothingToWaitFor)).toMatchObject({ held: { holder: 'b' } })
      })

      it('is taken over from a process that died, by one of many racers', async () => {
        await claim('crashed', alive)
        const claims = await Promise.all(Array.from({ length: 6 }, (_, index) => claim(`process ${index}`, alive)))
        const winners = claims.flatMap((claimed) => ('held' in claimed ? [claimed.held.holder] : []))
        expect(winners).toEqual([(await stores.clickStore.lease('import-1').read())?.holder])
        for (const claimed of claims) if ('by' in claimed) expect(claimed.by.holder).toBe(winners[0])
      })
    })
  })
}
