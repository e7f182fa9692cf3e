import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { PlanStore } from './plan-store.js'

/** What a `PlanStore` promises. */
export function planStoreContract(
  open: () => Promise<{ readonly planStore: PlanStore; readonly accounts: AccountStore } & Closable>,
): void {
  describe('PlanStore', () => {
    let stores: Awaited<ReturnType<typeof open>>
    beforeEach(async () => {
      stores = await open()
      await stores.accounts.bootstrap({
        organization: { guid: 'O1', name: '' },
        group: { guid: 'B1', name: '' },
        user: { login: 'ada', passwordHash: '' },
        token: { guid: 'T1', secretHash: '', hint: '', label: '' },
        at: 1,
      })
    })
    afterEach(() => stores.close())

    it('has assigned nothing at first', async () => {
      expect(await stores.planStore.assignments()).toEqual(new Map())
      expect(await stores.planStore.version()).toBe(0)
    })

    it('remembers the last plan of an organization', async () => {
      expect(await stores.planStore.assign('O1', 'free', 1)).toBe('assigned')
      expect(await stores.planStore.assign('O1', 'growth', 1)).toBe('assigned')
      expect(await stores.planStore.assignments()).toEqual(new Map([['O1', 'growth']]))
    })

    it('assigns nothing to an organization that does not exist', async () => {
      expect(await stores.planStore.assign('Onone', 'free', 1)).toBe('no-organization')
      expect(await stores.planStore.assignments()).toEqual(new Map())
    })

    it('has another version after every change, however they race', async () => {
      await Promise.all(Array.from({ length: 20 }, () => stores.planStore.assign('O1', 'free', 1)))
      expect(await stores.planStore.version()).toBe(20)
    })
  })
}
