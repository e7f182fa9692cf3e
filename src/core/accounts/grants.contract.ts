import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { NewToken } from './account-store.js'
import type { ApplicationStore, NewCode } from './application-store.js'
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
