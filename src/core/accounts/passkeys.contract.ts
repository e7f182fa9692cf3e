import { describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { NewPasskey } from './passkey-store.js'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about passkeys. `open` gives empty stores. */
export function passkeysContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: passkeys', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    const eight = Array.from({ length: 8 }, (_, each) => each)
    const trues = (answers: readonly boolean[]) => answers.filter((answer) => answer).length
    const add = (passkey: Partial<NewPasskey> = {}, limit = 20, codes: readonly string[] = ['a', 'b']) =>
      stores.accounts.addPasskey(aPasskey(passkey), limit, codes)
    const appOn = async () => {
      const factor = { by: 'app', secret: 'ABCD' } as const
      await stores.accounts.beginTwoFactor('admin', factor, 100)
      await stores.accounts.turnTwoFactorOn('admin', { factor, recoveryCodeHashes: ['app'], usedStep: 1 })
    }

    it('gives a challenge to one of several racing callers, in time and for what it was made', async () => {
      const challenge = { challengeHash: 'c', boundTo: 'me', at: 1_000, expiresAt: 2_000 }
      const use = (boundTo: string, now: number) => stores.accounts.usePasskeyChallenge('c', boundTo, now)
      await stores.accounts.addPasskeyChallenge(challenge)
      expect(await use('you', 1_500)).toBe(false)
      expect(await use('me', 2_000)).toBe(false)
      expect(trues(await Promise.all(eight.map(() => use('me', 1_999))))).toBe(1)
      expect(await use('me', 1_500)).toBe(false)
    })

    it('forgets challenges that have expired', async () => {
      await stores.accounts.addPasskeyChallenge({ challengeHash: 'c', boundTo: 'me', at: 1_000, expiresAt: 2_000 })
      await stores.accounts.addPasskeyChallenge({ challengeHash: 'd', boundTo: 'me', at: 2_000, expiresAt: 3_000 })
      expect(await stores.accounts.usePasskeyChallenge('c', 'me', 1_500)).toBe(false)
      expect(await stores.accounts.usePasskeyChallenge('d', 'me', 2_500)).toBe(true)
    })

    it('makes the first second factor with its recovery codes, and leaves those of an earlier one', async () => {
      expect(await stores.accounts.account('admin')).toMatchObject({ twoFactor: undefined, passkeys: 0 })
      expect(await add()).toBe('first-factor')
      expect(await add({ guid: 'k2', credentialId: 'c2', createdAt: 6_000 }, 20, ['c'])).toBe('added')
      expect(await stores.accounts.useRecoveryCode('admin', 'c')).toBe(false)
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(2)
      expect(await stores.accounts.account('admin')).toMatchObject({ twoFactor: undefined, passkeys: 2 })
      expect((await stores.accounts.user('admin'))?.hasTwoFactor).toBe(true)
      expect(await stores.accounts.passkeys('admin')).toEqual([
        { ...aPasskey(), lastUsedAt: undefined },
        { ...aPasskey({ guid: 'k2', credentialId: 'c2', createdAt: 6_000 }), lastUsedAt: undefined },
      ])
      expect(await stores.accounts.passkeys('ada')).toEqual([])
    })

    it('leaves the recovery codes of an authenticator app as they are', async () => {
      await appOn()
      expect(await add()).toBe('added')
      expect(await stores.accounts.useRecoveryCode('admin', 'app')).toBe(true)
    })

    it('refuses a credential that is known, one too many, and an unknown user', async () => {
      await add()
      expect(await add({ guid: 'k2' })).toBe('taken')
      expect(await add({ guid: 'k2', credentialId: 'c2' }, 1)).toBe('too-many')
      expect(await add({ guid: 'k2', credentialId: 'c2', login: 'nobody' })).toBe('no-user')
      expect(await stores.accounts.passkeys('admin')).toHaveLength(1)
    })

    it('adds no more than the limit when callers race, and one of them is the first', async () => {
      const answers = await Promise.all(
        eight.map((each) => add({ guid: `k${each}`, credentialId: `c${each}` }, 3, [`code ${each}`])),
      )
      expect([...answers].sort()).toEqual(['added', 'added', 'first-factor', ...Array(5).fill('too-many')])
      const first = answers.indexOf('first-factor')
      expect(await stores.accounts.useRecoveryCode('admin', `code ${first}`)).toBe(true)
    })

    it('finds a passkey by its credential, while its user is active', async () => {
      await stores.accounts.addUser(anUser)
      await add({ login: 'ada' })
      expect((await stores.accounts.passkeyByCredential('c1'))?.login).toBe('ada')
      expect(await stores.accounts.passkeyByCredential('c2')).toBeUndefined()
      await stores.accounts.setActive('ada', false, 9_000)
      expect(await stores.accounts.passkeyByCredential('c1')).toBeUndefined()
    })

    it('accepts a counter that grows, once also when callers race, and one that stays 0', async () => {
      await add({ counter: 5 })
      const use = (counter: number, at: number) => stores.accounts.usePasskey('k1', counter, at)
      expect(await use(5, 7_000)).toBe(false)
      expect(await use(0, 7_000)).toBe(false)
      expect(trues(await Promise.all(eight.map(() => use(6, 8_000))))).toBe(1)
      expect((await stores.accounts.passkeys('admin'))[0]).toMatchObject({ counter: 6, lastUsedAt: 8_000 })
      await add({ guid: 'k2', credentialId: 'c2', counter: 0 })
      const useSynced = (counter: number) => stores.accounts.usePasskey('k2', counter, 9_000)
      expect(await useSynced(0)).toBe(true)
      expect(await useSynced(0)).toBe(true)
      // One that begins to count goes on counting.
      expect(await useSynced(4_294_967_295)).toBe(true)
      expect(await useSynced(0)).toBe(false)
    })

    it('renames and removes those of the user alone', async () => {
      await add()
      await add({ guid: 'k2', credentialId: 'c2' })
      expect(await stores.accounts.renamePasskey('ada', 'k1', 'Phone')).toBe(false)
      expect(await stores.accounts.renamePasskey('admin', 'k1', 'Phone')).toBe(true)
      expect((await stores.accounts.passkeys('admin'))[0]?.name).toBe('Phone')
      expect(await stores.accounts.removePasskey('ada', 'k1')).toBe('no-passkey')
      expect(await stores.accounts.removePasskey('admin', 'k1')).toBe('removed')
      expect(await stores.accounts.removePasskey('admin', 'k1')).toBe('no-passkey')
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(2)
      expect(await stores.accounts.removePasskey('admin', 'k2')).toBe('last-factor')
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(0)
      expect((await stores.accounts.user('admin'))?.hasTwoFactor).toBe(false)
    })

    it('tells one of several racing callers that the last second factor is gone', async () => {
      for (const each of eight) await add({ guid: `k${each}`, credentialId: `c${each}` })
      const answers = await Promise.all(eight.map((each) => stores.accounts.removePasskey('admin', `k${each}`)))
      expect([...answers].sort()).toEqual(['last-factor', ...Array(7).fill('removed')])
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(0)
    })

    it('keeps recovery codes while there is another second factor', async () => {
      await appOn()
      await add()
      expect(await stores.accounts.turnTwoFactorOff('admin')).toBe(true)
      expect(await stores.accounts.turnTwoFactorOff('admin')).toBe(false)
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(1)
      await appOn()
      expect(await stores.accounts.removePasskey('admin', 'k1')).toBe('removed')
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(1)
    })

    it('turns everything off for the operator', async () => {
      await add()
      expect(await stores.accounts.turnTwoFactorOff('admin', true)).toBe(true)
      expect(await stores.accounts.turnTwoFactorOff('admin', true)).toBe(false)
      expect(await stores.accounts.account('admin')).toMatchObject({ passkeys: 0 })
      expect(await stores.accounts.recoveryCodesLeft('admin')).toBe(0)
    })

    it('goes with the user', async () => {
      await stores.accounts.addUser(anUser)
      await add({ login: 'ada' })
      expect((await stores.accounts.removeUser('ada', 9_000)).outcome).toBe('removed')
      expect(await stores.accounts.passkeys('ada')).toEqual([])
      expect(await add()).toBe('first-factor')
    })
  })
}

const aPasskey = sampleOf<NewPasskey>({
  guid: 'k1',
  login: 'admin',
  name: 'Laptop',
  credentialId: 'c1',
  publicKey: 'key',
  counter: 0,
  transports: ['internal', 'hybrid'],
  createdAt: 5_000,
})

const anUser = { login: 'ada', name: 'Ada', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
