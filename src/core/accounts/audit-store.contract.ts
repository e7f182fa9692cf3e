import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import type { AccountStore, TurnedOn } from './account-store.js'
import type { AuditEntry, AuditedStores, AuditFilter, AuditStore } from './audit-store.js'
import { openBootstrapped, storesOfEachTest } from './stores.builder.js'

type Stores = { readonly accounts: AccountStore; readonly audit: AuditStore; readonly links: LinkStore } & Closable
export type OpenAuditStore = () => Promise<Stores>

/** What an `AuditStore` promises. `open` gives empty stores. */
export function auditStoreContract(open: OpenAuditStore): void {
  describe('AuditStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))

    const guids = async (changes: Partial<AuditFilter> = {}) => {
      const all = { organizationGuid: undefined, login: undefined, after: undefined, size: 100 }
      return (await stores.audit.list({ ...all, ...changes })).map((entry) => entry.guid)
    }

    it('keeps every field of an entry', async () => {
      const full = anEntry({
        account: 'ada',
        subject: 'Tsome',
        address: '192.0.2.1',
        details: { through: 'browser', 'a "b"': 'ü' },
      })
      await stores.audit.add(full)
      await stores.audit.add(anEntry({ guid: 'L0', login: undefined, organizationGuid: undefined }))
      expect(
        await stores.audit.list({ organizationGuid: undefined, login: undefined, after: undefined, size: 5 }),
      ).toEqual([full, anEntry({ guid: 'L0', login: undefined, organizationGuid: undefined })])
    })

    it('lists newest first and goes on after any position', async () => {
      for (const [guid, at] of [
        ['L1', 10],
        ['L3', 20],
        ['L2', 20],
        ['L4', 30],
      ] as const) {
        await stores.audit.add(anEntry({ guid, at }))
      }
      expect(await guids()).toEqual(['L4', 'L3', 'L2', 'L1'])
      expect(await guids({ size: 2 })).toEqual(['L4', 'L3'])
      expect(await guids({ after: { at: 20, guid: 'L3' } })).toEqual(['L2', 'L1'])
      expect(await guids({ after: { at: 15, guid: 'Lx' } })).toEqual(['L1'])
    })

    it('has the changes of links among the others, as long as their history is kept', async () => {
      const owner = { groupGuid: 'B1', organizationGuid: 'O1' }
      const { link } = await stores.links.findOrInsert(aLinkDraft(owner), () => 'changed')
      await stores.links.update(link.id, { title: 'T', tags: ['x'] }, { login: 'admin', clientId: 'app', at: 15 })
      await stores.links.update(link.id, { title: 'U' }, { login: 'admin', clientId: undefined, at: 20 })
      for (const [guid, at] of [['L1', 10] as const, ['L2', 20] as const]) await stores.audit.add(anEntry({ guid, at }))
      const all = { organizationGuid: 'O1', login: undefined, after: undefined, size: 100 }
      const entries = await stores.audit.list(all)
      expect(entries.map(({ action, at }) => [action, at])).toEqual([
        ['link_changed', 20],
        ['token_made', 20],
        ['link_changed', 15],
        ['token_made', 10],
      ])
      expect(entries[2]).toEqual({
        ...anEntry({ guid: entries[2]?.guid ?? '', at: 15, action: 'link_changed' }),
        subject: link.id,
        details: { fields: 'title, tags', clientId: 'app' },
      })
      for (const [index, { at, guid }] of entries.entries()) {
        expect(await stores.audit.list({ ...all, after: { at, guid }, size: 1 })).toEqual(
          entries.slice(index + 1).slice(0, 1),
        )
      }
      expect(await guids({ actions: ['link_changed'], from: 20 })).toEqual([entries[0]?.guid])
      expect(await guids({ actions: ['token_made'] })).toEqual(['L2', 'L1'])
      expect(await guids({ login: 'nobody' })).toEqual([])
      expect(await guids({ organizationGuid: 'O2' })).toEqual([])
      await stores.links.deleteOldHistory(20, 10)
      expect(await guids()).toEqual([entries[0]?.guid, 'L2', 'L1'])
    })

    it('lists entries with one of several actions, and of a span of time', async () => {
      await stores.audit.add(anEntry({ guid: 'L1', at: 10, action: 'token_made' }))
      await stores.audit.add(anEntry({ guid: 'L2', at: 20, action: 'token_revoked' }))
      await stores.audit.add(anEntry({ guid: 'L3', at: 30, action: 'domain_added' }))
      expect(await guids({ actions: ['token_made', 'domain_added', 'unknown'] })).toEqual(['L3', 'L1'])
      expect(await guids({ actions: ['unknown'] })).toEqual([])
      expect(await guids({ from: 20 })).toEqual(['L3', 'L2'])
      expect(await guids({ from: 10, until: 30 })).toEqual(['L2', 'L1'])
      expect(await guids({ actions: ['token_made', 'token_revoked'], until: 20, organizationGuid: 'O1' })).toEqual([
        'L1',
      ])
    })

    it('shows an organization what concerns it and what was done to the accounts of its members', async () => {
      await stores.audit.add(anEntry({ guid: 'L1', login: 'operator', organizationGuid: 'O1' }))
      await stores.audit.add(anEntry({ guid: 'L2', login: 'admin', organizationGuid: undefined }))
      await stores.audit.add(anEntry({ guid: 'L3', login: 'admin', organizationGuid: 'O2' }))
      await stores.audit.add(anEntry({ guid: 'L4', login: 'stranger', organizationGuid: undefined }))
      await stores.audit.add(anEntry({ guid: 'L5', login: undefined, organizationGuid: undefined }))
      await stores.audit.add(anEntry({ guid: 'L6', login: 'operator', account: 'admin', organizationGuid: undefined }))
      await stores.audit.add(
        anEntry({ guid: 'L7', login: 'operator', account: 'stranger', organizationGuid: undefined }),
      )
      expect(await guids({ organizationGuid: 'O1' })).toEqual(['L6', 'L2', 'L1'])
      expect(await guids({ organizationGuid: 'O2' })).toEqual(['L3'])
      expect(await guids({ organizationGuid: 'O1', login: 'admin' })).toEqual(['L6', 'L2'])
      expect(await guids({ organizationGuid: 'O1', login: 'operator' })).toEqual(['L6', 'L1'])
      expect(await guids()).toEqual(['L7', 'L6', 'L5', 'L4', 'L3', 'L2', 'L1'])
    })

    const revoke = ({ accounts }: AuditedStores) => accounts.revokeToken('T1', 2_000)

    it('keeps an entry together with what it tells of, and none where nothing was done', async () => {
      const entriesOf = (revoked: boolean) => (revoked ? [anEntry(), anEntry({ guid: 'L0' })] : [])
      expect(await stores.audit.transact(revoke, entriesOf)).toBe(true)
      expect(await guids()).toEqual(['L1', 'L0'])
      expect(await stores.accounts.actorByToken('admin')).toBeUndefined()
      expect(await stores.audit.transact(revoke, (revoked) => (revoked ? [anEntry({ guid: 'L2' })] : []))).toBe(false)
      expect(await guids()).toEqual(['L1', 'L0'])
    })

    it('does nothing where the entry cannot be kept', async () => {
      await stores.audit.add(anEntry())
      await expect(stores.audit.transact(revoke, () => [anEntry()])).rejects.toThrow()
      expect(await stores.accounts.actorByToken('admin')).toBeDefined()
      expect(await guids()).toEqual(['L1'])
    })

    it('keeps one entry for one of many who do the same at once', async () => {
      const all = Array.from({ length: 10 }, (_, each) =>
        stores.audit.transact(revoke, (revoked) => (revoked ? [anEntry({ guid: `L${each}` })] : [])),
      )
      expect((await Promise.all(all)).filter((revoked) => revoked)).toHaveLength(1)
      expect(await guids()).toHaveLength(1)
    })

    it('keeps no entry for what was undone', async () => {
      const accept = ({ accounts }: AuditedStores) => accounts.acceptInvitation('unknown', { login: 'admin' }, 2_000)
      expect(await stores.audit.transact(accept, () => [anEntry()])).toEqual({ outcome: 'gone' })
      expect(await guids()).toEqual([])
    })

    const at = 2_000
    const token = { guid: 'T2', secretHash: 's', hint: 'h', login: 'admin', clientId: undefined, label: 'l', at }
    const application = {
      clientId: 'A1',
      secretHash: 's',
      login: 'admin',
      name: 'n',
      description: '',
      link: '',
      redirectUris: [],
      requirePkce: false,
      scopes: ['all'] as const,
      at,
    }
    const code = {
      codeHash: 'c',
      clientId: 'A1',
      login: 'admin',
      redirectUri: 'u',
      challenge: undefined,
      scopes: [],
      at,
    }
    const quota = { most: 10, since: 0 }
    const user = { login: 'ada', name: 'n', email: undefined, passwordHash: 'x', groupGuid: 'B1', at }
    const invitation = {
      guid: 'I1',
      secretHash: 's',
      email: 'a@example.com',
      organizationGuid: 'O1',
      groupGuid: 'B1',
      role: 'member' as const,
      invitedBy: 'admin',
      delivery: 'sent' as const,
      at,
      expiresAt: 9_000,
    }
    const deeds: readonly (readonly [string, (stores: AuditedStores) => Promise<unknown>])[] = [
      ['accounts.addToken', ({ accounts }) => accounts.addToken(token)],
      ['accounts.addUser', ({ accounts }) => accounts.addUser(user)],
      ['accounts.removeUser', ({ accounts }) => accounts.removeUser('nobody', at)],
      ['accounts.labelToken', ({ accounts }) => accounts.labelToken('T1', 'other')],
      ['accounts.revokeToken', revoke],
      ['accounts.rotateToken', ({ accounts }) => accounts.rotateToken('T1', { ...token, oldExpiresAt: 9_000 })],
      ['applications.add', ({ applications }) => applications.add(application)],
      ['applications.change', ({ applications }) => applications.change('A1', 'admin', { name: 'other' })],
      ['applications.replaceSecret', ({ applications }) => applications.replaceSecret('A1', 'admin', 't')],
      ['applications.revoke', ({ applications }) => applications.revoke('A1', at)],
      ['applications.addCode', ({ applications }) => applications.addCode({ ...code, expiresAt: 9_000 })],
      ['applications.redeem', ({ applications }) => applications.redeem('none', token, quota)],
      ['applications.grant', ({ applications }) => applications.grant(token, quota)],
      ['groups.addOrganization', ({ groups }) => groups.addOrganization({ guid: 'O2', name: 'n', admin: 'admin', at })],
      ['groups.renameOrganization', ({ groups }) => groups.renameOrganization('O1', 'other', at)],
      ['groups.addGroup', ({ groups }) => groups.addGroup({ guid: 'B2', name: 'n', organizationGuid: 'O1', at })],
      ['groups.changeGroup', ({ groups }) => groups.changeGroup('B1', { name: 'other' }, at)],
      ['groups.removeGroup', ({ groups }) => groups.removeGroup('B1', at)],
      ['groups.restoreGroup', ({ groups }) => groups.restoreGroup('B1', at)],
      ['accounts.setPassword', ({ accounts }) => accounts.setPassword('admin', 'y', at)],
      ['accounts.setEmail', ({ accounts }) => accounts.setEmail('admin', 'admin@example.com', at)],
      ['accounts.setActive', ({ accounts }) => accounts.setActive('admin', false, at)],
      ['accounts.useEmailChange', ({ accounts }) => accounts.useEmailChange('none', at)],
      ['accounts.useReset', ({ accounts }) => accounts.useReset('none', 'y', at)],
      ['accounts.turnTwoFactorOn', ({ accounts }) => accounts.turnTwoFactorOn('admin', anyFactor)],
      ['accounts.turnTwoFactorOff', ({ accounts }) => accounts.turnTwoFactorOff('admin')],
      ['accounts.replaceRecoveryCodes', ({ accounts }) => accounts.replaceRecoveryCodes('admin', ['h'])],
      ['accounts.useRecoveryCode', ({ accounts }) => accounts.useRecoveryCode('admin', 'h')],
      [
        'accounts.addApiKey',
        ({ accounts }) => accounts.addApiKey({ guid: 'Y1', keyHash: 'k', hint: 'h', login: 'admin', label: '', at }),
      ],
      ['accounts.revokeApiKey', ({ accounts }) => accounts.revokeApiKey('admin', 'Y1', at)],
      ['groups.setGroupRole', ({ groups }) => groups.setGroupRole('admin', 'B1', 'member')],
      ['groups.setOrganizationRole', ({ groups }) => groups.setOrganizationRole('admin', 'O1', 'admin')],
      ['groups.leaveGroup', ({ groups }) => groups.leaveGroup('admin', 'B1')],
      ['groups.leaveOrganization', ({ groups }) => groups.leaveOrganization('admin', 'O1')],
      ['accounts.addInvitation', ({ accounts }) => accounts.addInvitation(invitation)],
      ['accounts.revokeInvitation', ({ accounts }) => accounts.revokeInvitation('I1', undefined, at)],
    ]
    it.each(deeds)('decides about the entry by what %s answers, once', async (_name, change) => {
      const told: unknown[] = []
      const answer = await stores.audit.transact(change, (each) => {
        told.push(each)
        return [anEntry()]
      })
      expect(told).toEqual([answer])
      expect(await guids()).toEqual(['L1'])
    })
  })
}

const anyFactor: TurnedOn = { factor: { by: 'sms', phone: '+1' }, recoveryCodeHashes: ['h'], usedStep: undefined }

const anEntry = sampleOf<AuditEntry>({
  guid: 'L1',
  at: 50,
  action: 'token_made',
  login: 'admin',
  account: undefined,
  organizationGuid: 'O1',
  subject: undefined,
  address: undefined,
  details: {},
})
