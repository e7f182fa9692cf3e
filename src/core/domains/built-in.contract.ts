import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { LinkStore } from '../links/link-store.js'
import { randomHash } from '../values/random.js'
import type { BuiltInDomain, BuiltInState, DomainStore } from './domain-store.js'

import { reconcileBuiltIn, renameBuiltIn } from './reconcile-built-in.js'

interface Stores extends Closable {
  readonly domainStore: DomainStore
  readonly links: Pick<LinkStore, 'findOrInsert' | 'globalHash'>
}

export interface OpenBuiltInStore {
  /** Two processes on the same records, with the organization `Oone` (group `Ba`) and no domain. */
  open(): Promise<readonly [Stores, Stores]>
}

/** What a `DomainStore` promises about built-in domains. */
export function builtInContract({ open }: OpenBuiltInStore): void {
  describe('DomainStore: built-in domains', () => {
    let processes: readonly [Stores, Stores]
    let stores: Stores
    let store: DomainStore
    beforeEach(async () => {
      processes = await open()
      stores = processes[0]
      store = stores.domainStore
    })
    afterEach(() => Promise.all(processes.map((each) => each.close())))

    function write(...domains: BuiltInDomain[]): Promise<void> {
      return store.changeBuiltIn(async () => ({ domains, answer: undefined }))
    }

    function look<T>(question: (state: BuiltInState) => Promise<T>): Promise<T> {
      return store.changeBuiltIn(async (state) => ({ answer: await question(state) }))
    }

    async function aLinkOn(domain: string, at = 1): Promise<void> {
      const owner = { groupGuid: 'Ba', organizationGuid: 'Oone', createdBy: 'ada', clientId: undefined }
      await stores.links.findOrInsert({ ...owner, domain, longUrl: 'https://example.com/', at }, randomHash)
    }

    const brand = (name: string, by = stores) =>
      by.domainStore.add({
        name,
        organizationGuid: 'Oone',
        groupGuids: [],
        rootUrl: undefined,
        notFoundUrl: undefined,
        createdBy: 'ada',
        at: 1,
      })

    it('has none at first, and keeps all of what was decided', async () => {
      expect(await store.listBuiltIn()).toEqual([])
      const domains = [aDomain('a', { formerNames: ['c', 'b'] }), aDomain('d', { name: 'e', position: undefined })]
      expect(await store.changeBuiltIn(async () => ({ domains, answer: 'done' }))).toBe('done')
      expect(await store.listBuiltIn()).toEqual(domains)
      expect(await look(async (state) => state.domains)).toEqual(domains)
    })

    it('lets two domains exchange their names', async () => {
      await write(aDomain('a'), aDomain('b'))
      await write(aDomain('a', { name: 'b' }), aDomain('b', { name: 'a' }))
      expect((await store.listBuiltIn()).map(({ name }) => name)).toEqual(['b', 'a'])
    })

    it('changes nothing when the decision fails', async () => {
      await write(aDomain('a'))
      await expect(store.changeBuiltIn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
      expect(await store.listBuiltIn()).toEqual([aDomain('a')])
    })

    it('moves the version that processes compare', async () => {
      const before = await stores.domainStore.version()
      await write(aDomain('a'))
      expect(await stores.domainStore.version()).not.toBe(before)
    })

    it('knows under which keys anything is stored', async () => {
      await aLinkOn('sho.rt')
      await stores.links.globalHash('https://example.com/g', 'global.example', 1, randomHash)
      const keys = ['sho.rt', 'sho', 'sho.rt.example', 'global.example', 'global']
      const found = await look(({ hasLinks }) => Promise.all(keys.map(hasLinks)))
      expect(found).toEqual([true, false, false, true, false])
    })

    it('finds the keys of links on no branded domain, the newest first', async () => {
      await aLinkOn('localhost:8080', 1)
      await aLinkOn('localhost:9000', 3)
      await aLinkOn('go.example.com', 4)
      await aLinkOn('gone.example.com', 5)
      await stores.links.globalHash('https://example.com/g', 'global.example', 2, () => 'g-l_0bal')
      for (const name of ['go.example.com', 'gone.example.com']) await brand(name)
      await stores.domainStore.remove('Oone', 'gone.example.com', 1)
      expect(await look(({ keysOfLinks }) => keysOfLinks())).toEqual([
        'localhost:9000',
        'global.example',
        'localhost:8080',
      ])
    })

    it('knows whose a name is: a branded domain, or a removed one with links', async () => {
      for (const name of ['go.example.com', 'kept.example', 'empty.example']) await brand(name)
      await aLinkOn('kept.example')
      for (const name of ['kept.example', 'empty.example']) await stores.domainStore.remove('Oone', name, 1)
      const names = ['go.example.com', 'kept.example', 'empty.example', 'free.example']
      const owners = await look(({ ownerOf }) => Promise.all(names.map(ownerOf)))
      expect(owners).toEqual(['Oone', 'Oone', undefined, undefined])
    })

    it('lets no organization bring a key, a name or a former name', async () => {
      await write(aDomain('a.example', { name: 'b.example', formerNames: ['c.example'] }))
      for (const name of ['a.example', 'b.example', 'c.example']) expect(await brand(name)).toBe('built-in')
      expect(await brand('d.example')).toBe('added')
    })

    describe('with several processes', () => {
      it('has racing changes follow each other', async () => {
        await write(aDomain('a'))
        const add = (name: string, by: Stores) =>
          by.domainStore.changeBuiltIn(async ({ domains }) => ({
            domains: domains.map((domain) => ({ ...domain, formerNames: [...domain.formerNames, name] })),
            answer: undefined,
          }))
        const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
        await Promise.all(names.map((name, index) => add(name, index % 2 === 0 ? processes[0] : processes[1])))
        expect([...((await store.listBuiltIn())[0]?.formerNames ?? [])].sort()).toEqual([...names].sort())
      })

      it('keeps one domain with both names when two processes start with different ones', async () => {
        await reconcileBuiltIn(store, ['old.example'])
        await aLinkOn('old.example')
        const outcomes = await Promise.all([
          reconcileBuiltIn(processes[0].domainStore, ['one.example']),
          reconcileBuiltIn(processes[1].domainStore, ['two.example']),
        ])
        expect(outcomes.map(({ outcome }) => outcome)).toEqual(['reconciled', 'reconciled'])
        const [domain, ...others] = await store.listBuiltIn()
        expect(others).toEqual([])
        expect(domain).toMatchObject({ key: 'old.example', position: 0 })
        const names = [domain?.name, ...(domain?.formerNames ?? [])]
        expect(names.sort()).toEqual(['old.example', 'one.example', 'two.example'])
      })

      it('makes one domain when two start for the first time', async () => {
        await Promise.all(processes.map(({ domainStore }) => reconcileBuiltIn(domainStore, ['sho.rt'])))
        expect(await store.listBuiltIn()).toEqual([aDomain('sho.rt')])
      })

      it('gives a name to an organization or to a built-in domain, never to both', async () => {
        await reconcileBuiltIn(store, ['old.example'])
        for (let round = 0; round < 5; round++) {
          const name = `x${round}.example`
          const [{ name: from = '' } = {}] = await store.listBuiltIn()
          const [added, renamed] = await Promise.all([
            brand(name, processes[0]),
            renameBuiltIn(processes[1].domainStore, { from, to: name }),
          ])
          const isOurs = (await store.listBuiltIn())[0]?.name === name
          const isTheirs = (await stores.domainStore.get(name)) !== undefined
          expect([isOurs, isTheirs].filter(Boolean)).toHaveLength(1)
          expect([added, renamed.outcome]).toEqual(isOurs ? ['built-in', 'renamed'] : ['added', 'branded'])
        }
      })
    })
  })
}

function aDomain(key: string, rest: Partial<BuiltInDomain> = {}): BuiltInDomain {
  return { key, name: key, formerNames: [], position: 0, ...rest }
}
