import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { storesOfEachTest } from '../accounts/stores.builder.js'
import { noDetails } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import type { ImportOwner, ImportStore, LinkToImport } from './import-store.js'

type Stores = { readonly links: LinkStore; readonly linkImports: ImportStore } & Closable

/** What an `ImportStore` promises. `open` gives empty stores. */
export function importStoreContract(open: () => Promise<Stores>): void {
  describe('ImportStore', () => {
    const stores = storesOfEachTest(open)

    const owner: ImportOwner = { groupGuid: 'Bgroup00001', login: 'ada', at: 1_700_000_000_000 }
    const importAll = (links: readonly LinkToImport[], onConflict: 'skip' | 'rename' | 'replace' = 'skip') =>
      stores.linkImports.importLinks(owner, links, onConflict)

    it('writes a link with all that belongs to it', async () => {
      const link = aLink('Spring_Sale-2019', {
        keywords: ['go.example/spring', 'go.example/SPRING'],
        title: 'Spring',
        tags: ['sale', 'print'],
        archived: true,
        expiresAt: 1_600_000_000_000,
        note: 'for the poster',
      })
      expect(await importAll([link])).toEqual([{ outcome: 'new', address: link.address }])
      const stored = await stores.links.get(link.address)
      expect(stored).toMatchObject({
        id: link.address,
        hash: 'Spring_Sale-2019',
        groupGuid: 'Bgroup00001',
        longUrl: link.longUrl,
        title: 'Spring',
        tags: ['sale', 'print'],
        archived: true,
        createdAt: link.createdAt,
        modifiedAt: link.createdAt,
        createdBy: 'ada',
        expiresAt: 1_600_000_000_000,
        note: 'for the poster',
        edited: true,
      })
      expect(stored?.keywords.toSorted()).toEqual(['go.example/SPRING', 'go.example/spring'])
      expect(await stores.links.target('go.example/spring')).toMatchObject({
        linkId: link.address,
        longUrl: link.longUrl,
      })
      expect((await stores.links.getKeyword('go.example/spring'))?.history).toMatchObject([
        { linkId: link.address, login: 'ada', longUrl: link.longUrl, createdAt: link.createdAt },
      ])
    })

    it('keeps addresses apart that differ only in case', async () => {
      const links = [aLink('abc'), aLink('ABC'), aLink('aBc')]
      expect((await importAll(links)).map(({ outcome }) => outcome)).toEqual(['new', 'new', 'new'])
      for (const { address, longUrl } of links) expect(await stores.links.target(address)).toMatchObject({ longUrl })
    })

    it('changes nothing the second time', async () => {
      const links = Array.from({ length: 1_200 }, (_, index) => aLink(`l${index}`, { tags: [`t${index % 7}`] }))
      expect(new Set((await importAll(links)).map(({ outcome }) => outcome))).toEqual(new Set(['new']))
      const before = await stores.links.get('go.example/l7')
      expect(new Set((await importAll(links)).map(({ outcome }) => outcome))).toEqual(new Set(['same']))
      expect(await stores.links.get('go.example/l7')).toEqual(before)
    })

    it('tells in advance what would happen, and writes nothing', async () => {
      await importAll([aLink('known'), aLink('other')])
      const links = [aLink('known'), aLink('other', { longUrl: 'https://example.com/new' }), aLink('fresh')]
      expect(await stores.linkImports.previewLinks(owner, links, 'skip')).toEqual([
        { outcome: 'same', address: 'go.example/known' },
        { outcome: 'conflict', reason: 'this back-half leads to https://example.com/other' },
        { outcome: 'new', address: 'go.example/fresh' },
      ])
      expect(await stores.links.get('go.example/fresh')).toBeUndefined()
    })

    it('skips a conflicting link and writes the others', async () => {
      await importAll([aLink('taken')])
      const elsewhere = aLink('taken', { longUrl: 'https://example.com/elsewhere' })
      expect(await importAll([elsewhere, aLink('free')])).toEqual([
        { outcome: 'conflict', reason: 'this back-half leads to https://example.com/taken' },
        { outcome: 'new', address: 'go.example/free' },
      ])
      expect(await stores.links.target('go.example/taken')).toMatchObject({ longUrl: 'https://example.com/taken' })
    })

    it('renames a conflicting link, and finds it again the second time', async () => {
      await importAll([aLink('taken'), aLink('taken-2')])
      const elsewhere = aLink('taken', { longUrl: 'https://example.com/elsewhere' })
      expect(await importAll([elsewhere], 'rename')).toEqual([{ outcome: 'renamed', address: 'go.example/taken-3' }])
      expect(await importAll([elsewhere], 'rename')).toEqual([{ outcome: 'same', address: 'go.example/taken-3' }])
      expect(await stores.links.target('go.example/taken-3')).toMatchObject({ longUrl: elsewhere.longUrl })
    })

    it('replaces the destination and details of a conflicting link of the same group', async () => {
      await importAll([aLink('taken', { tags: ['old'] })])
      const other = { ...owner, groupGuid: 'Bgroup00002' }
      await stores.linkImports.importLinks(other, [aLink('foreign')], 'skip')
      const links = ['taken', 'foreign'].map((backHalf) =>
        aLink(backHalf, { longUrl: 'https://example.com/new', title: 'New', tags: ['new'] }),
      )
      expect(await importAll(links, 'replace')).toEqual([
        { outcome: 'replaced', address: 'go.example/taken' },
        { outcome: 'conflict', reason: 'a link of another group has this back-half' },
      ])
      expect(await stores.links.get('go.example/taken')).toMatchObject({
        longUrl: 'https://example.com/new',
        title: 'New',
        tags: ['new'],
        edited: true,
      })
      expect((await importAll(links.slice(0, 1), 'replace'))[0]?.outcome).toBe('same')
    })

    it('never gives away the address of a deleted link', async () => {
      await importAll([aLink('gone')])
      await stores.links.remove('go.example/gone', 1_700_000_000_001)
      for (const onConflict of ['skip', 'replace'] as const) {
        expect(await importAll([aLink('gone')], onConflict)).toEqual([
          { outcome: 'conflict', reason: 'a deleted link had this back-half, which is never given again' },
        ])
      }
    })

    it('leaves out keywords that are taken, and tags that the group has no room for', async () => {
      await importAll([aLink('taken')])
      const many = Array.from({ length: 20 }, (_, link) =>
        aLink(`many${link}`, { tags: Array.from({ length: 50 }, (_, tag) => `t${link}-${tag}`) }),
      )
      expect(new Set((await importAll(many)).map(({ outcome }) => outcome))).toEqual(new Set(['new']))
      const [outcome] = await importAll([aLink('late', { keywords: ['go.example/taken'], tags: ['t0-0', 'too-many'] })])
      expect(outcome).toEqual({
        outcome: 'new',
        address: 'go.example/late',
        note: 'left out, because they are taken: go.example/taken; 1 tags left out: a group has at most 1000',
      })
      expect(await stores.links.get('go.example/late')).toMatchObject({ tags: ['t0-0'], keywords: [] })
    })

    it('remembers which clicks were counted, from when they are settled', async () => {
      const { linkImports } = stores
      const [one, two] = ['go.example/one', 'go.example/two']
      const marks = () => linkImports.clickMarks('yourls', [one, two, 'go.example/other'])
      await linkImports.noteClicks('yourls', new Map([[one, { at: 2_000, count: 3 }]]))
      expect(await marks()).toEqual(new Map())
      await linkImports.settleClicks('yourls')
      expect(await marks()).toEqual(new Map([[one, { at: 2_000, count: 3 }]]))

      await linkImports.noteClicks('yourls', new Map([one, two].map((address) => [address, { at: 2_000, count: 4 }])))
      await linkImports.noteClicks('yourls', new Map([[one, { at: 1_000, count: 9 }]]))
      expect(await marks()).toEqual(new Map([[one, { at: 2_000, count: 3 }]]))
      await linkImports.settleClicks('yourls')
      expect(await marks()).toEqual(new Map([one, two].map((address) => [address, { at: 2_000, count: 4 }])))
      expect(await linkImports.clickMarks('kutt', [one])).toEqual(new Map())
    })

    it('gives each address to one of an import and of callers who create links at the same time', async () => {
      const names = Array.from({ length: 60 }, (_, index) => `race${index}`)
      const owned = {
        groupGuid: 'Bgroup00001',
        organizationGuid: 'Oorganization',
        createdBy: 'bob',
        clientId: undefined,
      }
      const created = names.map((name) =>
        stores.links.create(
          { ...owned, domain: 'go.example', longUrl: `https://example.com/created/${name}`, at: 1_000, forceNew: true },
          { ...noDetails, keyword: `go.example/${name}` },
          drawing(name),
        ),
      )
      const imported = [0, 20, 40].map((from) =>
        importAll(
          names
            .slice(from, from + 20)
            .toReversed()
            .map((name) => aLink(name)),
        ),
      )
      const [answers, outcomes] = await Promise.all([Promise.all(created), Promise.all(imported)])
      const winners = answers.filter(({ outcome }) => outcome === 'done').length
      const fresh = outcomes.flat().filter(({ outcome }) => outcome === 'new').length
      expect(winners + fresh).toBe(names.length)
      for (const [index, name] of names.entries()) {
        const by = answers[index]?.outcome === 'done' ? 'created/' : ''
        const longUrl = `https://example.com/${by}${name}`
        expect(await stores.links.target(`go.example/${name}`)).toMatchObject({ longUrl })
      }
    })

    it('gives racing imports of the same links each link once', async () => {
      const links = Array.from({ length: 300 }, (_, index) => aLink(`twice${index}`, { tags: ['both'] }))
      const runs = await Promise.all([importAll(links), importAll(links.toReversed()), importAll(links)])
      expect(runs.flat().filter(({ outcome }) => outcome === 'new')).toHaveLength(links.length)
      expect(runs.flat().filter(({ outcome }) => outcome === 'same')).toHaveLength(2 * links.length)
    })
  })
}

function aLink(backHalf: string, changes: Partial<LinkToImport> = {}): LinkToImport {
  return {
    address: `go.example/${backHalf}`,
    domain: 'go.example',
    backHalf,
    keywords: [],
    longUrl: `https://example.com/${backHalf}`,
    createdAt: 1_500_000_000_000,
    title: undefined,
    tags: [],
    archived: false,
    expiresAt: undefined,
    note: undefined,
    ...changes,
  }
}

function drawing(prefix: string): () => string {
  let drawn = 0
  return () => `h${prefix}x${drawn++}`
}
