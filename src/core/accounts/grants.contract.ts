import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { NewToken } from './account-store.js'
import type { ApplicationStore, NewCode, Renewal } from './application-store.js'
import { type AccountStores, anApplication, openBootstrapped, storesOfEachTest } from './stores.builder.js'

const plenty = { most: 1000, since: 0 }

/** What an `ApplicationStore` promises about grants. `open` gives empty stores. */
export function grantsContract(open: () => Promise<AccountStores>): void {
  describe('ApplicationStore: grants', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    let applications: ApplicationStore
    beforeEach(async () => {
      applications = stores.applications
      await stores.applications.add(anApplication())
    })

    const tokensMade = async () =>
      (await stores.accounts.listTokens('admin')).filter(({ guid }) => guid !== 'T1').map(({ guid }) => guid)
    const isGood = async (secretHash: string) => (await stores.accounts.actorByToken(secretHash)) !== undefined

    it('finds a registered application with its secret, until it is revoked', async () => {
      expect(await applications.client('app1')).toEqual({
        clientId: 'app1',
        name: 'Reader',
        description: 'Reads',
        link: 'https://reader.example/',
        redirectUris: ['https://reader.example/back', 'reader://back'],
        requirePkce: true,
        isPublic: false,
        scopes: ['links:read', 'qr'],
        secretHash: 'hashed',
      })
      expect(await applications.client('none')).toBeUndefined()
      await stores.applications.revoke('app1', 5)
      expect(await applications.client('app1')).toBeUndefined()
    })

    it('keeps a code with what it was given for', async () => {
      expect(await applications.addCode(aCode())).toBe('added')
      const { codeHash, at: _, ...kept } = aCode()
      expect(await applications.code(codeHash)).toEqual(kept)
      await applications.addCode(aCode({ codeHash: 'other', challenge: undefined }))
      expect((await applications.code('other'))?.challenge).toBeUndefined()
      expect(await applications.code('unknown')).toBeUndefined()
    })

    it('writes an application that comes with the code, and describes it anew each time, but does not revive it', async () => {
      const clientId = 'https://app.example/client.json'
      const application = anApplication({ clientId, login: undefined, isPublic: true, at: 10_000 })
      expect(await applications.addCode(aCode({ clientId, application }))).toBe('added')
      const renamed = anApplication({ ...application, name: 'Renamed', scopes: ['sites'], at: 11_000 })
      expect(await applications.addCode(aCode({ codeHash: 'other', clientId, application: renamed }))).toBe('added')
      expect(await applications.client(clientId)).toMatchObject({ name: 'Renamed', scopes: ['sites'], isPublic: true })
      expect((await applications.get(clientId))?.createdAt).toBe(10_000)
      await applications.revoke(clientId, 12_000)
      expect(await applications.addCode(aCode({ codeHash: 'third', clientId, application: renamed }))).toBe('refused')
    })

    it('gives no code for a user or an application that is not there', async () => {
      expect(await applications.addCode(aCode({ login: 'nobody' }))).toBe('refused')
      expect(await applications.addCode(aCode({ clientId: 'none' }))).toBe('refused')
      await stores.applications.revoke('app1', 5)
      expect(await applications.addCode(aCode())).toBe('refused')
      expect(await applications.code('code')).toBeUndefined()
    })

    it('makes a token that speaks for the user through the application', async () => {
      await applications.addCode(aCode())
      expect(await applications.redeem('code', aToken(1), plenty)).toEqual({ outcome: 'redeemed' })
      const found = await stores.accounts.actorByToken('secret-1')
      expect(found?.actor).toMatchObject({ login: 'admin', clientId: 'app1' })
      expect((await stores.accounts.listTokens('admin')).at(-1)).toMatchObject({ guid: 'N1', label: 'Reader' })
    })

    it('knows the word for short links of a token, or else of its application', async () => {
      const wordOf = async (secretHash: string) => (await stores.accounts.actorByToken(secretHash))?.actor.answersIn
      await stores.applications.add(anApplication({ clientId: 'app2', answersIn: 'bitlink' }))
      expect((await stores.applications.get('app2'))?.answersIn).toBe('bitlink')
      for (const [number, given] of [{}, { answersIn: 'other' }, { clientId: undefined }].entries()) {
        await stores.accounts.addToken({ ...aToken(number), clientId: 'app2', ...given })
      }
      expect([await wordOf('secret-0'), await wordOf('secret-1'), await wordOf('secret-2')]).toEqual([
        'bitlink',
        'other',
        undefined,
      ])
      expect(await wordOf('admin')).toBeUndefined()
      const listed = (await stores.accounts.listTokens('admin')).map(({ guid, answersIn }) => [guid, answersIn])
      expect(Object.fromEntries(listed)).toMatchObject({ N0: 'bitlink', N1: 'other', N2: undefined })
    })

    it('gives ten racing callers one token for one code, and the others revoke it', async () => {
      await applications.addCode(aCode())
      const callers = Array.from({ length: 10 }, (_, each) => each)
      const answers = await Promise.all(callers.map((each) => applications.redeem('code', aToken(each), plenty)))
      expect(answers.filter(({ outcome }) => outcome === 'redeemed')).toHaveLength(1)
      expect(answers.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(9)
      expect(answers.filter((answer) => 'revoked' in answer && answer.revoked !== undefined)).toHaveLength(1)
      const made = await tokensMade()
      expect(made).toHaveLength(1)
      expect(await isGood(`secret-${made[0]?.slice(1)}`)).toBe(false)
    })

    it('names the token that a replay revoked, once, also long after the code expired', async () => {
      await applications.addCode(aCode())
      await applications.redeem('code', aToken(1), plenty)
      expect(await isGood('secret-1')).toBe(true)
      const late = aToken(2, { at: 900_000 })
      expect(await applications.redeem('code', late, plenty)).toEqual({ outcome: 'replayed', revoked: 'N1' })
      expect(await applications.redeem('code', late, plenty)).toEqual({ outcome: 'replayed', revoked: undefined })
      expect(await isGood('secret-1')).toBe(false)
    })

    it('refuses a code that has expired, and one that never was', async () => {
      await applications.addCode(aCode({ expiresAt: 70_000 }))
      expect(await applications.redeem('code', aToken(1, { at: 70_000 }), plenty)).toEqual({ outcome: 'refused' })
      expect(await applications.redeem('unknown', aToken(1), plenty)).toEqual({ outcome: 'refused' })
      expect(await tokensMade()).toEqual([])
    })

    it('forgets codes a month after they expired', async () => {
      await applications.addCode(aCode({ codeHash: 'old' }))
      await applications.addCode(aCode({ codeHash: 'new', at: 70_000 + 31 * 86_400_000 }))
      expect(await applications.code('old')).toBeUndefined()
      expect(await applications.code('new')).toBeDefined()
    })

    it('makes no token for a revoked application, and does not use the code up', async () => {
      await applications.addCode(aCode())
      expect(await applications.redeem('code', aToken(1, { login: 'nobody' }), plenty)).toEqual({ outcome: 'refused' })
      expect(await applications.redeem('code', aToken(2), plenty)).toEqual({ outcome: 'redeemed' })
      await stores.applications.revoke('app1', 30_000)
      expect(await applications.grant(aToken(3), plenty)).toBe('refused')
      expect(await isGood('secret-2')).toBe(false)
      expect(await tokensMade()).toEqual(['N2'])
    })

    it('leaves no good token behind when an application is revoked at the same moment', async () => {
      const given = Array.from({ length: 8 }, (_, each) => applications.grant(aToken(each), plenty))
      await Promise.all([...given, stores.applications.revoke('app1', 30_000)])
      for (const guid of await tokensMade()) expect(await isGood(`secret-${guid.slice(1)}`)).toBe(false)
    })

    it('makes a token without an application', async () => {
      expect(await applications.grant(aToken(1, { clientId: undefined }), plenty)).toBe('granted')
      expect((await stores.accounts.actorByToken('secret-1'))?.actor.clientId).toBeUndefined()
      expect(await applications.grant(aToken(2, { login: 'nobody' }), plenty)).toBe('refused')
    })

    describe('renewal', () => {
      const renewable = { refreshKey: 'family', refreshHash: 'refresh-0', expiresAt: 50_000, refreshExpiresAt: 900_000 }
      const first = (number = 1) => aToken(number, { ...renewable, scopes: ['qr'] })
      const aRenewal = sampleOf<Renewal>({
        clientId: 'app1',
        refreshKey: 'family',
        presentedHash: 'refresh-0',
        refreshSalt: 'salt-1',
        secretHash: 'access-1',
        hint: 'new1',
        refreshHash: 'refresh-1',
        expiresAt: 130_000,
        refreshExpiresAt: 990_000,
        repeatableSince: 30_000,
        at: 60_000,
      })
      const renewed = { guid: 'N1', login: 'admin', scopes: ['qr'], refreshSalt: 'salt-1', expiresAt: 130_000 }

      it('gives the same token new secrets, and the old one is not good any more', async () => {
        await applications.grant(first(), plenty)
        expect(await applications.renew(aRenewal())).toEqual({ outcome: 'renewed', ...renewed })
        expect([await isGood('secret-1'), await isGood('access-1')]).toEqual([false, true])
        expect(await stores.accounts.listTokens('admin')).toHaveLength(2)
        expect((await stores.accounts.listTokens('admin')).at(-1)).toMatchObject({ hint: 'new1', expiresAt: 990_000 })
        expect((await stores.accounts.actorByToken('access-1'))?.actor.expiresAt).toBe(130_000)
      })

      it('renews once when ten callers race with one refresh token, and gives all the same answer', async () => {
        await applications.grant(first(), plenty)
        const salts = Array.from({ length: 10 }, (_, each) => `salt-${each}`)
        const answers = await Promise.all(
          salts.map((refreshSalt) =>
            applications.renew(aRenewal({ refreshSalt, secretHash: `of ${refreshSalt}`, refreshHash: refreshSalt })),
          ),
        )
        expect(answers.filter(({ outcome }) => outcome === 'renewed')).toHaveLength(1)
        expect(answers.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(9)
        const given = new Set(answers.map((answer) => ('refreshSalt' in answer ? answer.refreshSalt : undefined)))
        expect(given.size).toBe(1)
        expect(await isGood(`of ${[...given][0]}`)).toBe(true)
      })

      it('repeats its answer for a while only', async () => {
        await applications.grant(first(), plenty)
        await applications.renew(aRenewal())
        const again = aRenewal({ refreshSalt: 'salt-2', secretHash: 'access-2', at: 80_000, repeatableSince: 50_000 })
        expect(await applications.renew(again)).toEqual({ outcome: 'repeated', ...renewed })
        expect(await isGood('access-2')).toBe(false)
        const late = aRenewal({ at: 90_000, repeatableSince: 60_000 })
        expect(await applications.renew(late)).toEqual({ outcome: 'reused', guid: 'N1', login: 'admin' })
        expect(await isGood('access-1')).toBe(false)
      })

      it('revokes the token when a refresh token comes after a newer one was used', async () => {
        await applications.grant(first(), plenty)
        await applications.renew(aRenewal())
        const next = { presentedHash: 'refresh-1', secretHash: 'access-2', refreshHash: 'refresh-2' }
        expect(await applications.renew(aRenewal(next))).toMatchObject({ outcome: 'renewed' })
        expect(await applications.renew(aRenewal())).toEqual({ outcome: 'reused', guid: 'N1', login: 'admin' })
        expect(await isGood('access-2')).toBe(false)
        expect(await applications.renew(aRenewal({ ...next, presentedHash: 'refresh-2' }))).toEqual({
          outcome: 'refused',
        })
      })

      it('leaves no good token behind when a thief and the application race with an old and a new one', async () => {
        await applications.grant(first(), plenty)
        await applications.renew(aRenewal())
        const late = { at: 300_000, repeatableSince: 270_000 }
        const next = { presentedHash: 'refresh-1', secretHash: 'access-2', refreshHash: 'refresh-2' }
        const answers = await Promise.all([
          applications.renew(aRenewal({ ...late, ...next })),
          applications.renew(aRenewal(late)),
        ])
        expect(answers.map(({ outcome }) => outcome)).toContain('reused')
        expect([await isGood('access-1'), await isGood('access-2')]).toEqual([false, false])
      })

      it.each<[string, Partial<Renewal>]>([
        ['of another application', { clientId: 'app2' }],
        ['that never was', { refreshKey: 'other' }],
        ['that has expired', { at: 900_000, repeatableSince: 870_000 }],
      ])('refuses a refresh token %s, and revokes nothing', async (_, changes) => {
        await stores.applications.add(anApplication({ clientId: 'app2' }))
        await applications.grant(first(), plenty)
        expect(await applications.renew(aRenewal(changes))).toEqual({ outcome: 'refused' })
        expect(await isGood('secret-1')).toBe(true)
      })

      it('refuses when the application or the token is revoked, or the user inactive', async () => {
        const ben = { login: 'ben', name: 'Ben', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 5 }
        await stores.accounts.addUser(ben)
        await applications.grant(aToken(2, { ...renewable, login: 'ben' }), plenty)
        await stores.accounts.setActive('ben', false, 6)
        expect(await applications.renew(aRenewal())).toEqual({ outcome: 'refused' })
        await stores.accounts.setActive('ben', true, 7)
        await stores.applications.revoke('app1', 8)
        expect(await applications.renew(aRenewal())).toEqual({ outcome: 'refused' })
      })

      it('leaves no good token behind when the application is revoked at the same moment', async () => {
        await applications.grant(first(), plenty)
        await Promise.all([applications.renew(aRenewal()), stores.applications.revoke('app1', 60_000)])
        expect([await isGood('secret-1'), await isGood('access-1')]).toEqual([false, false])
      })

      it.each([
        { secretHash: 'secret-1', refreshKey: 'x' },
        { secretHash: 'x', refreshKey: 'family' },
      ])('is over when the application revokes its token, found by one hash: %j', async (hashes) => {
        await applications.grant(first(), plenty)
        expect(await applications.revokeToken('app2', hashes, 7)).toBeUndefined()
        expect(await isGood('secret-1')).toBe(true)
        expect(await applications.revokeToken('app1', hashes, 7)).toEqual({ guid: 'N1', login: 'admin' })
        expect(await applications.revokeToken('app1', hashes, 8)).toBeUndefined()
        expect(await isGood('secret-1')).toBe(false)
        expect(await applications.renew(aRenewal())).toEqual({ outcome: 'refused' })
      })
    })

    it('gives racing callers no more tokens than the quota, and counts each application apart', async () => {
      const quota = { most: 5, since: 10_000 }
      const callers = Array.from({ length: 12 }, (_, each) => each)
      const answers = await Promise.all(callers.map((each) => applications.grant(aToken(each), quota)))
      expect(answers.filter((answer) => answer === 'granted')).toHaveLength(5)
      expect(answers.filter((answer) => answer === 'too-many')).toHaveLength(7)
      expect(await applications.grant(aToken(20, { clientId: undefined }), quota)).toBe('granted')
      expect(await applications.grant(aToken(21), { most: 5, since: 20_000 })).toBe('granted')
    })

    it('does not use a code up when the quota is', async () => {
      await applications.addCode(aCode())
      expect(await applications.redeem('code', aToken(1), { most: 0, since: 0 })).toEqual({ outcome: 'too-many' })
      expect(await applications.redeem('code', aToken(2), plenty)).toEqual({ outcome: 'redeemed' })
    })
  })
}

const aCode = sampleOf<NewCode>({
  codeHash: 'code',
  clientId: 'app1',
  login: 'admin',
  redirectUri: 'https://reader.example/back',
  challenge: 'challenge',
  scopes: ['qr'],
  at: 10_000,
  expiresAt: 70_000,
})

function aToken(number: number, changes: Partial<NewToken> = {}): NewToken {
  return {
    guid: `N${number}`,
    secretHash: `secret-${number}`,
    hint: 'hint',
    login: 'admin',
    clientId: 'app1',
    label: 'Reader',
    at: 20_000,
    ...changes,
  }
}
