import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import type { AccountStore } from '../accounts/account-store.js'
import { mine, openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { MobileAppStore, NewMobileApp } from './mobile-app-store.js'

type Stores = { readonly mobileApps: MobileAppStore; readonly accounts: AccountStore } & Closable

/** What a `MobileAppStore` promises. `open` gives an empty store. */
export function mobileAppStoreContract(open: () => Promise<Stores>): void {
  describe('MobileAppStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open, mine))

    it('keeps an application with everything that was said about it', async () => {
      expect(await stores.mobileApps.add(anApp())).toBe('added')
      const { at, limit: _, ...fields } = anApp()
      expect(await stores.mobileApps.get('Omine', 'Aone')).toEqual({
        ...fields,
        isAllowed: false,
        createdAt: at,
        modifiedAt: at,
      })
    })

    it('refuses an application of an organization that does not exist', async () => {
      expect(await stores.mobileApps.add(anApp({ organizationGuid: 'Onone' }))).toBe('no-organization')
      expect(await stores.mobileApps.list(undefined)).toEqual([])
    })

    it('lists those of one organization or all, oldest first', async () => {
      await stores.mobileApps.add(anApp({ guid: 'Alate', at: 9 }))
      await stores.mobileApps.add(anApp({ guid: 'Aearly', at: 5 }))
      const guids = async (organization?: string) =>
        (await stores.mobileApps.list(organization)).map(({ guid }) => guid)
      expect(await guids('Omine')).toEqual(['Aearly', 'Alate'])
      expect(await guids()).toEqual(['Aearly', 'Alate'])
      expect(await guids('Oother')).toEqual([])
    })

    it('lets nobody reach an application through another organization', async () => {
      await stores.mobileApps.add(anApp())
      expect(await stores.mobileApps.get('Oother', 'Aone')).toBeUndefined()
      expect(await stores.mobileApps.update('Oother', 'Aone', () => ({ name: 'stolen' }), 9)).toBeUndefined()
      expect(await stores.mobileApps.remove('Oother', 'Aone')).toBe(false)
      expect((await stores.mobileApps.get('Omine', 'Aone'))?.name).toBe('Example')
    })

    it('is allowed or not, until it gets another association', async () => {
      await stores.mobileApps.add(anApp())
      expect(await stores.mobileApps.allow('Aone', true, 5)).toMatchObject({
        guid: 'Aone',
        isAllowed: true,
        modifiedAt: 5,
      })
      await stores.mobileApps.update('Omine', 'Aone', () => ({ name: 'Renamed' }), 6)
      expect(await stores.mobileApps.get('Omine', 'Aone')).toMatchObject({ name: 'Renamed', isAllowed: true })
      const association = { os: 'ios', appId: 'ABCDE12345.com.other', paths: ['*'] } as const
      expect(await stores.mobileApps.update('Omine', 'Aone', () => ({ association }), 7)).toMatchObject({
        isAllowed: false,
      })
      expect((await stores.mobileApps.get('Omine', 'Aone'))?.isAllowed).toBe(false)
      await stores.mobileApps.allow('Aone', true, 8)
      expect(await stores.mobileApps.allow('Aone', false, 9)).toMatchObject({ isAllowed: false })
      expect(await stores.mobileApps.allow('Anone', true, 9)).toBeUndefined()
      await stores.mobileApps.add(anApp({ guid: 'Atwo', isAllowed: true }))
      expect((await stores.mobileApps.get('Omine', 'Atwo'))?.isAllowed).toBe(true)
    })

    it('never leaves an application allowed whose association was changed at the same moment', async () => {
      for (let round = 0; round < 5; round += 1) {
        const guid = `Arace${round}`
        await stores.mobileApps.add(anApp({ guid, isAllowed: true }))
        const association = { os: 'ios', appId: 'ABCDE12345.com.other', paths: ['*'] } as const
        await Promise.all([
          stores.mobileApps.update('Omine', guid, () => ({ association }), 5),
          stores.mobileApps.update('Omine', guid, () => ({ name: 'Renamed' }), 6),
        ])
        expect(await stores.mobileApps.get('Omine', guid)).toMatchObject({
          association,
          name: 'Renamed',
          isAllowed: false,
        })
      }
    })

    it('changes the given fields and the time of change', async () => {
      await stores.mobileApps.add(anApp())
      const changed = await stores.mobileApps.update('Omine', 'Aone', () => ({ storeUrl: '' }), 9)
      expect(changed).toMatchObject({ name: 'Example', storeUrl: '', createdAt: 2, modifiedAt: 9 })
      expect(await stores.mobileApps.get('Omine', 'Aone')).toEqual(changed)
    })

    it('changes nothing when the change is refused', async () => {
      await stores.mobileApps.add(anApp())
      const before = await stores.mobileApps.get('Omine', 'Aone')
      const refuse = () => {
        throw new Error('no')
      }
      await expect(stores.mobileApps.update('Omine', 'Aone', refuse, 9)).rejects.toThrow('no')
      expect(await stores.mobileApps.get('Omine', 'Aone')).toEqual(before)
    })

    it('loses none of several changes made at once', async () => {
      await stores.mobileApps.add(anApp({ name: '' }))
      const letters = ['a', 'b', 'c', 'd', 'e', 'f']
      await Promise.all(
        letters.map((letter) => stores.mobileApps.update('Omine', 'Aone', ({ name }) => ({ name: name + letter }), 9)),
      )
      expect([...((await stores.mobileApps.get('Omine', 'Aone'))?.name ?? '')].sort()).toEqual(letters)
    })

    it('keeps the limit of an organization when several are added at once', async () => {
      const guids = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6']
      const answers = await Promise.all(guids.map((guid) => stores.mobileApps.add(anApp({ guid, limit: 4 }))))
      expect(answers.filter((answer) => answer === 'added')).toHaveLength(4)
      expect(answers.filter((answer) => answer === 'too-many')).toHaveLength(2)
      expect(await stores.mobileApps.list('Omine')).toHaveLength(4)
    })

    it('gives racing callers who want one application the same entry', async () => {
      const guids = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6']
      const isSame = ({ name }: { name: string }) => name === 'Example'
      const answers = await Promise.all(
        guids.map((guid) => stores.mobileApps.ensure(anApp({ guid, limit: 1 }), isSame)),
      )
      const [kept] = await stores.mobileApps.list('Omine')
      expect(answers).toEqual(guids.map(() => kept))
      expect(await stores.mobileApps.list('Omine')).toHaveLength(1)
      expect(await stores.mobileApps.ensure(anApp({ guid: 'A7', name: 'Other', limit: 1 }), () => false)).toBe(
        'too-many',
      )
      expect(await stores.mobileApps.ensure(anApp({ organizationGuid: 'Onone' }), isSame)).toBe('no-organization')
    })

    it('finds the oldest application of the organization alone', async () => {
      await stores.mobileApps.add(anApp({ guid: 'Alate', at: 9 }))
      await stores.mobileApps.add(anApp({ guid: 'Aearly', at: 5 }))
      expect(await stores.mobileApps.ensure(anApp({ guid: 'Anew' }), () => true)).toMatchObject({ guid: 'Aearly' })
    })

    it('removes an application once', async () => {
      await stores.mobileApps.add(anApp())
      const answers = await Promise.all([1, 2, 3].map(() => stores.mobileApps.remove('Omine', 'Aone')))
      expect(answers.filter((removed) => removed)).toHaveLength(1)
      expect(await stores.mobileApps.get('Omine', 'Aone')).toBeUndefined()
    })
  })
}

const anApp = sampleOf<NewMobileApp>({
  guid: 'Aone',
  organizationGuid: 'Omine',
  name: 'Example',
  storeUrl: 'https://apps.example/1',
  uriScheme: 'example',
  association: { os: 'android', packageName: 'com.example', fingerprints: ['AA:BB'] },
  at: 2,
  limit: 10,
})
