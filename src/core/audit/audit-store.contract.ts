import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../auth/account-store.js'
import { bootstrap } from '../sign-in/stores.builder.js'
import type { AuditEntry, AuditFilter, AuditStore } from './audit-store.js'

export type OpenAuditStore = () => Promise<{ readonly accounts: AccountStore; readonly audit: AuditStore } & Closable>

/** What an `AuditStore` promises. `open` gives empty stores. */
export function auditStoreContract(open: OpenAuditStore): void {
  describe('AuditStore', () => {
    let stores: Awaited<ReturnType<OpenAuditStore>>
    let audit: AuditStore
    beforeEach(async () => {
      stores = await open()
      audit = stores.audit
      await bootstrap(stores.accounts)
    })
    afterEach(() => stores.close())

    const guids = async (changes: Partial<AuditFilter> = {}) => {
      const all = { organizationGuid: undefined, login: undefined, after: undefined, size: 100 }
      return (await audit.list({ ...all, ...changes })).map((entry) => entry.guid)
    }

    it('keeps every field of an entry', async () => {
      const full = anEntry({ subject: 'Tsome', address: '192.0.2.1', details: { through: 'browser', 'a "b"': 'ü' } })
      await audit.add(full)
      await audit.add(anEntry({ guid: 'L0', login: undefined, organizationGuid: undefined }))
      expect(await audit.list({ organizationGuid: undefined, login: undefined, after: undefined, size: 5 })).toEqual([
        full,
        anEntry({ guid: 'L0', login: undefined, organizationGuid: undefined }),
      ])
    })

    it('lists newest first and goes on after any position', async () => {
      for (const [guid, at] of [
        ['L1', 10],
        ['L3', 20],
        ['L2', 20],
        ['L4', 30],
      ] as const) {
        await audit.add(anEntry({ guid, at }))
      }
      expect(await guids()).toEqual(['L4', 'L3', 'L2', 'L1'])
      expect(await guids({ size: 2 })).toEqual(['L4', 'L3'])
      expect(await guids({ after: { at: 20, guid: 'L3' } })).toEqual(['L2', 'L1'])
      expect(await guids({ after: { at: 15, guid: 'Lx' } })).toEqual(['L1'])
    })

    it('shows an organization what concerns it and what its members did to their accounts', async () => {
      await audit.add(anEntry({ guid: 'L1', login: 'operator', organizationGuid: 'O1' }))
      await audit.add(anEntry({ guid: 'L2', login: 'admin', organizationGuid: undefined }))
      await audit.add(anEntry({ guid: 'L3', login: 'admin', organizationGuid: 'O2' }))
      await audit.add(anEntry({ guid: 'L4', login: 'stranger', organizationGuid: undefined }))
      await audit.add(anEntry({ guid: 'L5', login: undefined, organizationGuid: undefined }))
      expect(await guids({ organizationGuid: 'O1' })).toEqual(['L2', 'L1'])
      expect(await guids({ organizationGuid: 'O2' })).toEqual(['L3'])
      expect(await guids({ organizationGuid: 'O1', login: 'admin' })).toEqual(['L2'])
      expect(await guids()).toEqual(['L5', 'L4', 'L3', 'L2', 'L1'])
    })
  })
}

function anEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    guid: 'L1',
    at: 50,
    action: 'token_made',
    login: 'admin',
    organizationGuid: 'O1',
    subject: undefined,
    address: undefined,
    details: {},
    ...changes,
  }
}
