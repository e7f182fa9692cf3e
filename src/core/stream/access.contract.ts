import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { StreamReader, StreamStore } from './stream-store.js'

const organization: StreamReader = { kind: 'organization', subject: 'O1' }
const account: StreamReader = { kind: 'login', subject: 'ada' }

/** What a `StreamStore` promises about access. */
export function accessContract(
  open: () => Promise<{ readonly streamStore: StreamStore; readonly accounts: AccountStore } & Closable>,
): void {
  describe('StreamStore: access', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open, { login: 'ada', at: 1 }))

    it('allows nobody at first', async () => {
      expect(await stores.streamStore.allowedReaders()).toEqual([])
    })

    it('lists whom it has allowed, by whom and when, oldest first', async () => {
      expect(await stores.streamStore.allowReader(account, 'operator', 1_700_000_000_123)).toBe('allowed')
      expect(await stores.streamStore.allowReader(organization, 'grace', 1_600_000_000_000)).toBe('allowed')
      expect(await stores.streamStore.allowedReaders()).toEqual([
        { ...organization, allowedBy: 'grace', allowedAt: 1_600_000_000_000 },
        { ...account, allowedBy: 'operator', allowedAt: 1_700_000_000_123 },
      ])
    })

    it('allows once: the first time is the one that is kept', async () => {
      await stores.streamStore.allowReader(account, 'operator', 1)
      expect(await stores.streamStore.allowReader(account, 'grace', 2)).toBe('already')
      expect(await stores.streamStore.allowedReaders()).toEqual([{ ...account, allowedBy: 'operator', allowedAt: 1 }])
    })

    it('allows nobody who does not exist', async () => {
      expect(await stores.streamStore.allowReader({ kind: 'organization', subject: 'ada' }, 'operator', 1)).toBe(
        'unknown',
      )
      expect(await stores.streamStore.allowReader({ kind: 'login', subject: 'O1' }, 'operator', 1)).toBe('unknown')
      expect(await stores.streamStore.allowedReaders()).toEqual([])
    })

    it('denies those it has allowed, and says whether it had', async () => {
      await stores.streamStore.allowReader(organization, 'operator', 1)
      await stores.streamStore.allowReader(account, 'operator', 1)
      expect(await stores.streamStore.denyReader(organization)).toBe(true)
      expect(await stores.streamStore.denyReader(organization)).toBe(false)
      expect(await stores.streamStore.allowedReaders()).toMatchObject([account])
    })

    it('keeps one entry when callers race to allow, and denies once when they race to deny', async () => {
      const times = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 8 }, work))
      const allowed = await times(() => stores.streamStore.allowReader(organization, 'operator', 1))
      expect(allowed.filter((each) => each === 'allowed')).toHaveLength(1)
      expect(await stores.streamStore.allowedReaders()).toHaveLength(1)
      const denied = await times(() => stores.streamStore.denyReader(organization))
      expect(denied.filter((each) => each === true)).toHaveLength(1)
    })
  })
}
