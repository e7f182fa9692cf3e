import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import type { GroupStore } from '../accounts/group-store.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import type { LinkStore } from '../links/link-store.js'
import { randomHash } from '../values/random.js'
import { builtInContract, type OpenBuiltInStore } from './built-in.contract.js'
import type { DomainStore, NewDomain } from './domain-store.js'

interface Stores extends Closable {
  readonly domainStore: DomainStore
  readonly links: Pick<LinkStore, 'findOrInsert'>
  readonly groups: GroupStore
}

export interface OpenDomainStore {
  /** Stores with the organizations `Oone` (groups `Ba` and `Bb`) and `Otwo` (group `Bc`), and no domain. */
  open(): Promise<Stores>
  readonly builtIn: OpenBuiltInStore
}

/** What a `DomainStore` promises. */
export function domainStoreContract({ open, builtIn }: OpenDomainStore): void {
  builtInContract(builtIn)

  describe('DomainStore', () => {
    const stores = storesOfEachTest(open)

    async function aLinkOn(domain: string, groupGuid: string, backHalf = randomHash): Promise<void> {
      const owner = { groupGuid, organizationGuid: 'O1', createdBy: 'ada', clientId: undefined }
      const draft = { ...owner, domain, longUrl: 'https://example.com/', at: 1 }
      await stores.links.findOrInsert(draft, backHalf)
    }

    it('keeps a domain with its groups and its URLs', async () => {
      const added = aDomain({ groupGuids: ['Bb', 'Ba'], rootUrl: 'https://example.com/', notFoundUrl: undefined })
      expect(await stores.domainStore.add(added)).toBe('added')
      const kept = {
        name: 'go.example.com',
        organizationGuid: 'Oone',
        isProven: true,
        groupGuids: ['Ba', 'Bb'],
        rootUrl: 'https://example.com/',
        notFoundUrl: undefined,
        createdAt: 5,
        createdBy: 'ada',
      }
      expect(await stores.domainStore.get('go.example.com')).toEqual(kept)
      expect(await stores.domainStore.list(undefined)).toEqual([kept])
      expect(await stores.domainStore.get('GO.example.com')).toBeUndefined()
    })

    it('lists the domains of one organization, and all, by name', async () => {
      await stores.domainStore.add(aDomain({ name: 'b.example', groupGuids: [] }))
      await stores.domainStore.add(aDomain({ name: 'c.example', organizationGuid: 'Otwo', groupGuids: ['Bc'] }))
      await stores.domainStore.add(aDomain({ name: 'a.example', groupGuids: ['Ba', 'Bb'] }))
      const names = async (guid: string | undefined) =>
        (await stores.domainStore.list(guid)).map((domain) => domain.name)
      expect(await names('Oone')).toEqual(['a.example', 'b.example'])
      expect(await names('Otwo')).toEqual(['c.example'])
      expect(await names('Onone')).toEqual([])
      expect(await names(undefined)).toEqual(['a.example', 'b.example', 'c.example'])
    })

    it('gives a name once, also to racing callers', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          stores.domainStore.add(aDomain({ organizationGuid: i % 2 === 0 ? 'Oone' : 'Otwo', groupGuids: [] })),
        ),
      )
      expect(answers.filter((answer) => answer === 'added')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(7)
      expect(await stores.domainStore.list(undefined)).toHaveLength(1)
    })

    const pending = (organizationGuid: string, groupGuids: readonly string[] = []) =>
      aDomain({ organizationGuid, groupGuids, isProven: false })

    it('lets several organizations wait for a name, each with settings of its own', async () => {
      expect(await stores.domainStore.add(pending('Oone', ['Bb', 'Ba']))).toBe('added')
      expect(await stores.domainStore.add(pending('Otwo', ['Bc']))).toBe('added')
      expect(await stores.domainStore.add(pending('Otwo'))).toBe('taken')
      expect(await stores.domainStore.get('go.example.com')).toBeUndefined()
      expect(await stores.domainStore.own('Oone', 'go.example.com')).toMatchObject({
        isProven: false,
        groupGuids: ['Ba', 'Bb'],
      })
      const change = { rootUrl: 'https://example.com/', groupGuids: [] }
      expect(await stores.domainStore.update('Oone', 'go.example.com', change)).toBe('updated')
      expect(await stores.domainStore.update('Oone', 'go.example.com', { groupGuids: ['Bc'] })).toBe('no-group')
      expect(await stores.domainStore.own('Oone', 'go.example.com')).toMatchObject({
        rootUrl: 'https://example.com/',
        groupGuids: [],
      })
      expect(await stores.domainStore.own('Otwo', 'go.example.com')).toMatchObject({
        rootUrl: undefined,
        groupGuids: ['Bc'],
      })
      expect(await stores.domainStore.list(undefined)).toHaveLength(2)
      expect(await stores.domainStore.list('Oone')).toHaveLength(1)
      expect(await stores.domainStore.remove('Oone', 'go.example.com', 9)).toBe(true)
      expect(await stores.domainStore.remove('Oone', 'go.example.com', 9)).toBe(false)
      expect(await stores.domainStore.list(undefined)).toHaveLength(1)
    })

    it('gives a name to whoever proves it, and ends the waiting of others', async () => {
      await stores.domainStore.add(pending('Oone', ['Ba']))
      await stores.domainStore.add(pending('Otwo', ['Bc']))
      const version = await stores.domainStore.version()
      expect(await stores.domainStore.prove('Otwo', 'go.example.com', true)).toBe('contested')
      expect(await stores.domainStore.prove('Otwo', 'go.example.com', false)).toBe('proven')
      expect(await stores.domainStore.version()).not.toBe(version)
      expect(await stores.domainStore.prove('Otwo', 'go.example.com', true)).toBe('proven')
      expect(await stores.domainStore.prove('Oone', 'go.example.com', false)).toBe('taken')
      expect(await stores.domainStore.prove('Oone', 'other.example', false)).toBe('no-domain')
      expect(await stores.domainStore.add(pending('Oone'))).toBe('taken')
      expect(await stores.domainStore.get('go.example.com')).toMatchObject({ isProven: true, groupGuids: ['Bc'] })
      expect(await stores.domainStore.list(undefined)).toHaveLength(1)
      expect(await stores.domainStore.own('Oone', 'go.example.com')).toBeUndefined()
    })

    it('ends the waiting of all when the name is added as proven', async () => {
      await stores.domainStore.add(pending('Oone'))
      expect(await stores.domainStore.add(aDomain({ organizationGuid: 'Otwo', groupGuids: [] }))).toBe('added')
      expect(await stores.domainStore.list(undefined)).toHaveLength(1)
    })

    it('proves a name for one of several who race, and lets nobody wait for it then', async () => {
      for (let round = 0; round < 5; round += 1) {
        const name = `race${round}.example`
        for (const organizationGuid of ['Oone', 'Otwo'])
          await stores.domainStore.add({ ...pending(organizationGuid), name })
        const answers = await Promise.all(['Oone', 'Otwo'].map((guid) => stores.domainStore.prove(guid, name, false)))
        expect(answers.sort()).toEqual(['proven', 'taken'])
        const late = `late${round}.example`
        await stores.domainStore.add({ ...pending('Oone'), name: late })
        await Promise.all([
          stores.domainStore.prove('Oone', late, true),
          stores.domainStore.add({ ...pending('Otwo'), name: late }),
        ])
        const held = (await stores.domainStore.list(undefined)).filter((domain) => domain.name === late)
        // Either the proof came first and is alone, or both wait and it was contested.
        expect(held.map(({ isProven }) => isProven)).toEqual(held.length === 1 ? [true] : [false, false])
      }
    })

    it('lets nobody wait for a name on which links of another organization live', async () => {
      await stores.domainStore.add(aDomain())
      await aLinkOn('go.example.com', 'Ba')
      await stores.domainStore.remove('Oone', 'go.example.com', 9)
      expect(await stores.domainStore.add(pending('Otwo'))).toBe('taken')
      expect(await stores.domainStore.add(pending('Oone'))).toBe('added')
    })

    it('writes nothing for an unknown organization or a group of another', async () => {
      expect(await stores.domainStore.add(aDomain({ organizationGuid: 'Onone', groupGuids: [] }))).toBe(
        'no-organization',
      )
      expect(await stores.domainStore.add(aDomain({ groupGuids: ['Ba', 'Bc'] }))).toBe('no-group')
      expect(await stores.domainStore.add(aDomain({ groupGuids: ['Bnone'] }))).toBe('no-group')
      expect(await stores.domainStore.list(undefined)).toEqual([])
    })

    it('changes what is given and leaves the rest', async () => {
      await stores.domainStore.add(
        aDomain({ rootUrl: 'https://example.com/root', notFoundUrl: 'https://example.com/lost' }),
      )
      expect(await stores.domainStore.update('Oone', 'go.example.com', { rootUrl: null })).toBe('updated')
      expect(await stores.domainStore.get('go.example.com')).toMatchObject({
        groupGuids: ['Ba'],
        rootUrl: undefined,
        notFoundUrl: 'https://example.com/lost',
      })
      const change = { groupGuids: ['Bb'], rootUrl: 'https://example.com/new', notFoundUrl: null }
      expect(await stores.domainStore.update('Oone', 'go.example.com', change)).toBe('updated')
      expect(await stores.domainStore.get('go.example.com')).toMatchObject({
        groupGuids: ['Bb'],
        rootUrl: 'https://example.com/new',
        notFoundUrl: undefined,
      })
      expect(await stores.domainStore.update('Oone', 'go.example.com', { groupGuids: [] })).toBe('updated')
      expect(await stores.domainStore.get('go.example.com')).toMatchObject({ groupGuids: [] })
    })

    it('changes all or nothing, and only for the organization it belongs to', async () => {
      await stores.domainStore.add(aDomain())
      const before = await stores.domainStore.get('go.example.com')
      const change = { rootUrl: 'https://example.com/' }
      expect(await stores.domainStore.update('Oone', 'go.example.com', { ...change, groupGuids: ['Bc'] })).toBe(
        'no-group',
      )
      expect(await stores.domainStore.update('Otwo', 'go.example.com', change)).toBe('no-domain')
      expect(await stores.domainStore.update('Oone', 'other.example', change)).toBe('no-domain')
      expect(await stores.domainStore.get('go.example.com')).toEqual(before)
    })

    it('leaves one of the lists when callers race to replace the groups', async () => {
      await stores.domainStore.add(aDomain({ groupGuids: [] }))
      const lists = [['Ba'], ['Bb'], ['Ba', 'Bb'], []]
      await Promise.all(lists.map((groupGuids) => stores.domainStore.update('Oone', 'go.example.com', { groupGuids })))
      expect(lists).toContainEqual((await stores.domainStore.get('go.example.com'))?.groupGuids)
    })

    it('assigns and unassigns single groups of the organization', async () => {
      await stores.domainStore.add(aDomain({ groupGuids: [] }))
      expect(await stores.domainStore.assign('go.example.com', 'Ba')).toBe('assigned')
      expect(await stores.domainStore.assign('go.example.com', 'Ba')).toBe('assigned')
      expect(await stores.domainStore.assign('go.example.com', 'Bc')).toBe('no-group')
      expect(await stores.domainStore.assign('other.example', 'Ba')).toBe('no-domain')
      expect((await stores.domainStore.get('go.example.com'))?.groupGuids).toEqual(['Ba'])
      expect(await stores.domainStore.unassign('go.example.com', 'Ba')).toBe(true)
      expect(await stores.domainStore.unassign('go.example.com', 'Ba')).toBe(false)
      expect((await stores.domainStore.get('go.example.com'))?.groupGuids).toEqual([])
    })

    it.each<[string, (name: string) => Promise<unknown>]>([
      ['unassigned', (name) => stores.domainStore.unassign(name, 'Ba')],
      ['given to others', (name) => stores.domainStore.update('Oone', name, { groupGuids: ['Bb'] })],
      ['removed', (name) => stores.domainStore.remove('Oone', name, 9)],
    ])('is no longer preferred by a group that it is taken from: %s', async (_, take) => {
      const [name, other] = ['go.example.com', 'other.example']
      await stores.domainStore.add(aDomain({ groupGuids: ['Ba', 'Bb'] }))
      await stores.domainStore.add(aDomain({ name: other, groupGuids: ['Bb'] }))
      await stores.groups.preferDomain('Ba', { name, branded: true }, 6)
      await stores.groups.preferDomain('Bb', { name: other, branded: true }, 6)
      await stores.domainStore.update('Oone', name, { groupGuids: ['Ba', 'Bb'], rootUrl: 'https://example.com/' })
      expect(await stores.domainStore.preferences()).toEqual(
        new Map([
          ['Ba', name],
          ['Bb', other],
        ]),
      )
      await take(name)
      expect(await stores.domainStore.preferences()).toEqual(new Map([['Bb', other]]))
    })

    it('removes a domain once and with its assignments', async () => {
      await stores.domainStore.add(aDomain())
      expect(await stores.domainStore.remove('Otwo', 'go.example.com', 9)).toBe(false)
      const answers = await Promise.all([1, 2, 3].map(() => stores.domainStore.remove('Oone', 'go.example.com', 9)))
      expect(answers.filter((removed) => removed)).toHaveLength(1)
      expect(await stores.domainStore.get('go.example.com')).toBeUndefined()
      expect(await stores.domainStore.add(aDomain({ groupGuids: [] }))).toBe('added')
      expect((await stores.domainStore.get('go.example.com'))?.groupGuids).toEqual([])
    })

    it.each([
      ['chosen at random', randomHash],
      ['imported, of another script', () => '日本'],
      ['imported, of a character beyond all letters', () => '\u{1f680}'],
    ])('keeps a removed name for its organization while links live on it: %s', async (_, backHalf) => {
      await stores.domainStore.add(aDomain())
      await aLinkOn('go.example.com', 'Ba', backHalf)
      await stores.domainStore.remove('Oone', 'go.example.com', 9)
      const theirs = aDomain({ organizationGuid: 'Otwo', groupGuids: ['Bc'] })
      expect(await stores.domainStore.add(theirs)).toBe('taken')
      expect(await stores.domainStore.list(undefined)).toEqual([])
      expect(await stores.domainStore.add(aDomain())).toBe('added')
      expect(await stores.domainStore.remove('Oone', 'go.example.com', 10)).toBe(true)
    })

    it('frees a removed name without links for everybody', async () => {
      await stores.domainStore.add(aDomain())
      await stores.domainStore.remove('Oone', 'go.example.com', 9)
      const theirs = aDomain({ organizationGuid: 'Otwo', groupGuids: ['Bc'] })
      expect(await stores.domainStore.add(theirs)).toBe('added')
      expect((await stores.domainStore.get('go.example.com'))?.organizationGuid).toBe('Otwo')
    })

    it('neither loses nor doubles a domain when callers race to add, assign and remove it', async () => {
      await Promise.all(
        Array.from({ length: 12 }, (_, i) => {
          if (i % 3 === 0) return stores.domainStore.add(aDomain({ groupGuids: [] }))
          return i % 3 === 1
            ? stores.domainStore.assign('go.example.com', 'Ba')
            : stores.domainStore.remove('Oone', 'go.example.com', i)
        }),
      )
      const left = await stores.domainStore.list(undefined)
      expect(await stores.domainStore.remove('Oone', 'go.example.com', 99)).toBe(left.length === 1)
      expect(await stores.domainStore.add(aDomain())).toBe('added')
    })

    it('has another version after every change, and the same when nothing changed', async () => {
      const seen = [await stores.domainStore.version()]
      const after = async (change: Promise<unknown>) => {
        await change
        seen.push(await stores.domainStore.version())
      }
      await after(stores.domainStore.add(aDomain()))
      await after(stores.domainStore.update('Oone', 'go.example.com', { rootUrl: 'https://example.com/' }))
      await after(stores.domainStore.unassign('go.example.com', 'Ba'))
      await after(stores.domainStore.assign('go.example.com', 'Ba'))
      await after(stores.domainStore.remove('Oone', 'go.example.com', 9))
      expect(new Set(seen).size).toBe(6)
      await after(stores.domainStore.remove('Oone', 'go.example.com', 9))
      await after(stores.domainStore.unassign('go.example.com', 'Ba'))
      expect(new Set(seen).size).toBe(6)
    })

    it('knows which organization a group belongs to', async () => {
      expect(await stores.domainStore.organizationOf('Bc')).toBe('Otwo')
      expect(await stores.domainStore.organizationOf('Bnone')).toBeUndefined()
    })
  })
}

const aDomain = sampleOf<NewDomain>({
  name: 'go.example.com',
  organizationGuid: 'Oone',
  groupGuids: ['Ba'],
  rootUrl: undefined,
  notFoundUrl: undefined,
  createdBy: 'ada',
  at: 5,
})
