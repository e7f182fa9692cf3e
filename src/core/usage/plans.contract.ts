import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { UsageStore } from './usage-store.js'

/** What a `UsageStore` promises about plans. */
export function plansContract(
  open: () => Promise<{ readonly usage: UsageStore; readonly accounts: AccountStore } & Closable>,
): void {
  describe('UsageStore: plans', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open, { login: 'ada', at: 1 }))

    it('has assigned nothing at first', async () => {
      expect(await stores.usage.planAssignments()).toEqual(new Map())
      expect(await stores.usage.planVersion()).toBe(0)
    })

    it('remembers the last plan of an organization', async () => {
      expect(await stores.usage.assignPlan('O1', 'free', 1)).toBe('assigned')
      expect(await stores.usage.assignPlan('O1', 'growth', 1)).toBe('assigned')
      expect(await stores.usage.planAssignments()).toEqual(new Map([['O1', 'growth']]))
    })

    it('assigns nothing to an organization that does not exist', async () => {
      expect(await stores.usage.assignPlan('Onone', 'free', 1)).toBe('no-organization')
      expect(await stores.usage.planAssignments()).toEqual(new Map())
    })

    it('has another version after every change, however they race', async () => {
      await Promise.all(Array.from({ length: 20 }, () => stores.usage.assignPlan('O1', 'free', 1)))
      expect(await stores.usage.planVersion()).toBe(20)
    })
  })
}
