import { describe, expect, it } from 'vitest'
import type { TwoFactor } from './account.js'
import type { SentCode } from './account-store.js'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about second factor. `open` gives empty stores. */
export function twoFactorContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: second factor', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))

    const app: TwoFactor = { by: 'app', secret: 'ABCD' }
    const sms: TwoFactor = { by: 'sms', phone: '+491234567' }
    const eight = Array.from({ length: 8 })
    const trues = (answers: readonly boolean[]) => answers.filter((answer) => answer).length

    async function turnOn(factor: TwoFactor = app, usedStep: number | undefined = 10): Promise<boolean> {
      await stores.accounts.beginTwoFactor('admin', factor, 100)
      return stores.accounts.turnTwoFactorOn('admin', { factor, recoveryCodeHashes: ['a', 'b'], usedStep })
    }

    it('turns on what was begun, and nothing before', async () => {
      await stores.accounts.beginTwoFactor('admin', app, 100)
      expect(await stores.accounts.begunTwoFactor('admin', 99)).toEqual(app)
      expect(await stores.accounts.begunTwoFactor('admin', 100)).toBeUndefined()
      expect((await stores.accounts.account('admin'))?.twoFactor).toBeUndefined()
      expect((await stores.accounts.user('admin'))?.hasTwoFactor).toBe(false)
      expect(await turnOn()).toBe(true)
      expect((await stores.accounts.account('admin'))?.twoFactor).toEqual(app)
      expect((await stores.accounts.user('admin'))?.hasTwoFactor).toBe(true)
      expect(await stores.accounts.begunTwoFactor('admin', 50)).toBeUndefined()
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(2)
    })

    it('turns on nothing that was replaced by something else', async () => {
      await stores.accounts.beginTwoFactor('admin', app, 100)
      await stores.accounts.beginTwoFactor('admin', sms, 100)
      expect(
        await stores.accounts.turnTwoFactorOn('admin', { factor: app, recoveryCodeHashes: ['a'], usedStep: 1 }),
      ).toBe(false)
      expect(
        await stores.accounts.turnTwoFactorOn('admin', { factor: sms, recoveryCodeHashes: ['a'], usedStep: undefined }),
      ).toBe(true)
      expect((await stores.accounts.account('admin'))?.twoFactor).toEqual(sms)
    })

    it('turns on for one of several racing callers, whose recovery codes count', async () => {
      await stores.accounts.beginTwoFactor('admin', app, 100)
      const on = (n: number) =>
        stores.accounts.turnTwoFactorOn('admin', { factor: app, recoveryCodeHashes: [`code ${n}`], usedStep: 1 })
      const answers = await Promise.all(eight.map((_, n) => on(n)))
      expect(trues(answers)).toBe(1)
      expect(await stores.accounts.useRecoveryCode('admin', `code ${answers.indexOf(true)}`)).toBe(true)
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(0)
    })

    it('turns off with everything that belongs to it, once', async () => {
      await turnOn()
      expect(await stores.accounts.turnTwoFactorOff('admin')).toBe(true)
      expect(await stores.accounts.turnTwoFactorOff('admin')).toBe(false)
      expect((await stores.accounts.account('admin'))?.twoFactor).toBeUndefined()
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(0)
      expect(await stores.accounts.useTotpStep('admin', 99)).toBe(false)
    })

    it('accepts a time step once and none before it', async () => {
      await turnOn(app, 10)
      expect(await stores.accounts.useTotpStep('admin', 10)).toBe(false)
      expect(await stores.accounts.useTotpStep('admin', 12)).toBe(true)
      expect(await stores.accounts.useTotpStep('admin', 12)).toBe(false)
      expect(await stores.accounts.useTotpStep('admin', 11)).toBe(false)
      expect(trues(await Promise.all(eight.map(() => stores.accounts.useTotpStep('admin', 13))))).toBe(1)
    })

    it('lets one of several racing callers use a recovery code', async () => {
      await turnOn()
      expect(trues(await Promise.all(eight.map(() => stores.accounts.useRecoveryCode('admin', 'a'))))).toBe(1)
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(1)
      expect(await stores.accounts.useRecoveryCode('admin', 'none')).toBe(false)
    })

    it('replaces recovery codes', async () => {
      await turnOn()
      await stores.accounts.replaceRecoveryCodes('admin', ['c', 'd', 'e'])
      expect(await stores.accounts.useRecoveryCode('admin', 'a')).toBe(false)
      expect(await stores.accounts.useRecoveryCode('admin', 'c')).toBe(true)
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(2)
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
      expect(await stores.accounts.checkSmsCode('admin', 'right', 60)).toBe(false)
      expect(await stores.accounts.addSmsCode(aCode(), 0)).toBe(true)
      expect(await stores.accounts.checkSmsCode('admin', 'right', 100)).toBe(false)
      expect(await stores.accounts.checkSmsCode('admin', 'right', 99)).toBe(true)
      expect(await stores.accounts.checkSmsCode('admin', 'right', 99)).toBe(false)
    })

    it('takes a code that was sent from one of several racing callers', async () => {
      await stores.accounts.addSmsCode(aCode({ tries: 20 }), 0)
      expect(trues(await Promise.all(eight.map(() => stores.accounts.checkSmsCode('admin', 'right', 60))))).toBe(1)
    })

    it('gives a code five tries, also when they are made at once', async () => {
      await stores.accounts.addSmsCode(aCode(), 0)
      const wrong = await Promise.all([1, 2, 3, 4, 5].map(() => stores.accounts.checkSmsCode('admin', 'wrong', 60)))
      expect(trues(wrong)).toBe(0)
      expect(await stores.accounts.checkSmsCode('admin', 'right', 60)).toBe(false)
    })

    it('sends no other code so soon after one, unless that one is forgotten', async () => {
      await stores.accounts.addSmsCode(aCode(), 0)
      expect(await stores.accounts.addSmsCode(aCode({ codeHash: 'other', sentAt: 60 }), 30)).toBe(false)
      expect(await stores.accounts.checkSmsCode('admin', 'other', 61)).toBe(false)
      expect(await stores.accounts.addSmsCode(aCode({ codeHash: 'other', sentAt: 80 }), 50)).toBe(true)
      expect(await stores.accounts.checkSmsCode('admin', 'right', 81)).toBe(false)
      expect(await stores.accounts.checkSmsCode('admin', 'other', 81)).toBe(true)
      await stores.accounts.forgetSmsCode('admin')
      expect(await stores.accounts.addSmsCode(aCode({ sentAt: 82 }), 50)).toBe(true)
    })

    it('sends one code when several callers ask at once', async () => {
      const sent = await Promise.all(
        eight.map((_, n) => stores.accounts.addSmsCode(aCode({ codeHash: `code ${n}` }), 20)),
      )
      expect(trues(sent)).toBe(1)
      expect(await stores.accounts.checkSmsCode('admin', `code ${sent.indexOf(true)}`, 60)).toBe(true)
    })
  })
}
