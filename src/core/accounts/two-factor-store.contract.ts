import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from './account-store.js'
import type { IdentityStore, TwoFactor } from './identity-store.js'
import { bootstrap } from './stores.builder.js'
import type { SentCode, TwoFactorStore } from './two-factor-store.js'
import type { UserStore } from './user-store.js'

export type OpenTwoFactorStore = () => Promise<
  {
    readonly accounts: AccountStore
    readonly users: UserStore
    readonly identity: IdentityStore
    readonly twoFactors: TwoFactorStore
  } & Closable
>

/** What a `TwoFactorStore` promises. `open` gives empty stores. */
export function twoFactorStoreContract(open: OpenTwoFactorStore): void {
  describe('TwoFactorStore', () => {
    let stores: Awaited<ReturnType<OpenTwoFactorStore>>
    let twoFactors: TwoFactorStore
    beforeEach(async () => {
      stores = await open()
      twoFactors = stores.twoFactors
      await bootstrap(stores.accounts)
    })
    afterEach(() => stores.close())

    const app: TwoFactor = { by: 'app', secret: 'ABCD' }
    const sms: TwoFactor = { by: 'sms', phone: '+491234567' }
    const eight = Array.from({ length: 8 })
    const trues = (answers: readonly boolean[]) => answers.filter((answer) => answer).length

    async function turnOn(factor: TwoFactor = app, usedStep: number | undefined = 10): Promise<boolean> {
      await twoFactors.begin('admin', factor, 100)
      return twoFactors.turnOn('admin', { factor, recoveryCodeHashes: ['a', 'b'], usedStep })
    }

    it('turns on what was begun, and nothing before', async () => {
      await twoFactors.begin('admin', app, 100)
      expect(await twoFactors.begun('admin', 99)).toEqual(app)
      expect(await twoFactors.begun('admin', 100)).toBeUndefined()
      expect((await stores.identity.account('admin'))?.twoFactor).toBeUndefined()
      expect((await stores.users.user('admin'))?.hasTwoFactor).toBe(false)
      expect(await turnOn()).toBe(true)
      expect((await stores.identity.account('admin'))?.twoFactor).toEqual(app)
      expect((await stores.users.user('admin'))?.hasTwoFactor).toBe(true)
      expect(await twoFactors.begun('admin', 50)).toBeUndefined()
      expect(await twoFactors.recoveryCodesLeft('admin')).toBe(2)
    })

    it('turns on nothing that was replaced by something else', async () => {
      await twoFactors.begin('admin', app, 100)
      await twoFactors.begin('admin', sms, 100)
      expect(await twoFactors.turnOn('admin', { factor: app, recoveryCodeHashes: ['a'], usedStep: 1 })).toBe(false)
      expect(await twoFactors.turnOn('admin', { factor: sms, recoveryCodeHashes: ['a'], usedStep: undefined })).toBe(
        true,
      )
      expect((await stores.identity.account('admin'))?.twoFactor).toEqual(sms)
    })

    it('turns on for one of several racing callers, whose recovery codes count', async () => {
      await twoFactors.begin('admin', app, 100)
      const on = (n: number) =>
        twoFactors.turnOn('admin', { factor: app, recoveryCodeHashes: [`code ${n}`], usedStep: 1 })
      const answers = await Promise.all(eight.map((_, n) => on(n)))
      expect(trues(answers)).toBe(1)
      expect(await twoFactors.useRecoveryCode('admin', `code ${answers.indexOf(true)}`)).toBe(true)
      expect(await twoFactors.recoveryCodesLeft('admin')).toBe(0)
    })

    it('turns off with everything that belongs to it, once', async () => {
      await turnOn()
      expect(await twoFactors.turnOff('admin')).toBe(true)
      expect(await twoFactors.turnOff('admin')).toBe(false)
      expect((await stores.identity.account('admin'))?.twoFactor).toBeUndefined()
      expect(await twoFactors.recoveryCodesLeft('admin')).toBe(0)
      expect(await twoFactors.useStep('admin', 99)).toBe(false)
    })

    it('accepts a time step once and none before it', async () => {
      await turnOn(app, 10)
      expect(await twoFactors.useStep('admin', 10)).toBe(false)
      expect(await twoFactors.useStep('admin', 12)).toBe(true)
      expect(await twoFactors.useStep('admin', 12)).toBe(false)
      expect(await twoFactors.useStep('admin', 11)).toBe(false)
      expect(trues(await Promise.all(eight.map(() => twoFactors.useStep('admin', 13))))).toBe(1)
    })

    it('lets one of several racing callers use a recovery code', async () => {
      await turnOn()
      expect(trues(await Promise.all(eight.map(() => twoFactors.useRecoveryCode('admin', 'a'))))).toBe(1)
      expect(await twoFactors.recoveryCodesLeft('admin')).toBe(1)
      expect(await twoFactors.useRecoveryCode('admin', 'none')).toBe(false)
    })

    it('replaces recovery codes', async () => {
      await turnOn()
      await twoFactors.replaceRecoveryCodes('admin', ['c', 'd', 'e'])
      expect(await twoFactors.useRecoveryCode('admin', 'a')).toBe(false)
      expect(await twoFactors.useRecoveryCode('admin', 'c')).toBe(true)
      expect(await twoFactors.recoveryCodesLeft('admin')).toBe(2)
    })

    const aCode = (changes: Partial<SentCode> = {}): SentCode => ({
      login: 'admin',
      codeHash: 'right',
      tries: 5,
      sentAt: 50,
      expiresAt: 100,
      ...changes,
    })

    it('takes a code that was sent once, before its time is over', async () => {
      expect(await twoFactors.checkCode('admin', 'right', 60)).toBe(false)
      expect(await twoFactors.sendCode(aCode(), 0)).toBe(true)
      expect(await twoFactors.checkCode('admin', 'right', 100)).toBe(false)
      expect(await twoFactors.checkCode('admin', 'right', 99)).toBe(true)
      expect(await twoFactors.checkCode('admin', 'right', 99)).toBe(false)
    })

    it('takes a code that was sent from one of several racing callers', async () => {
      await twoFactors.sendCode(aCode({ tries: 20 }), 0)
      expect(trues(await Promise.all(eight.map(() => twoFactors.checkCode('admin', 'right', 60))))).toBe(1)
    })

    it('gives a code five tries, also when they are made at once', async () => {
      await twoFactors.sendCode(aCode(), 0)
      const wrong = await Promise.all([1, 2, 3, 4, 5].map(() => twoFactors.checkCode('admin', 'wrong', 60)))
      expect(trues(wrong)).toBe(0)
      expect(await twoFactors.checkCode('admin', 'right', 60)).toBe(false)
    })

    it('sends no other code so soon after one, unless that one is forgotten', async () => {
      await twoFactors.sendCode(aCode(), 0)
      expect(await twoFactors.sendCode(aCode({ codeHash: 'other', sentAt: 60 }), 30)).toBe(false)
      expect(await twoFactors.checkCode('admin', 'other', 61)).toBe(false)
      expect(await twoFactors.sendCode(aCode({ codeHash: 'other', sentAt: 80 }), 50)).toBe(true)
      expect(await twoFactors.checkCode('admin', 'right', 81)).toBe(false)
      expect(await twoFactors.checkCode('admin', 'other', 81)).toBe(true)
      await twoFactors.forgetCode('admin')
      expect(await twoFactors.sendCode(aCode({ sentAt: 82 }), 50)).toBe(true)
    })

    it('sends one code when several callers ask at once', async () => {
      const sent = await Promise.all(eight.map((_, n) => twoFactors.sendCode(aCode({ codeHash: `code ${n}` }), 20)))
      expect(trues(sent)).toBe(1)
      expect(await twoFactors.checkCode('admin', `code ${sent.indexOf(true)}`, 60)).toBe(true)
    })
  })
}
