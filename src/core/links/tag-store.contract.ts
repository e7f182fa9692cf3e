import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { GroupStore } from '../accounts/group-store.js'
import { mine, openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { QrCodeStore } from '../qr-codes/qr-code-store.js'
import { newGuid } from '../values/guid.js'
import { noDetails } from './link.js'
import { aLinkDraft } from './link-draft.builder.js'
import type { LinkStore } from './link-store.js'
import type { TagChange, TagDetails, TagStore } from './tag-store.js'
import { tagsPerGroup, tagsPerLink } from './tags.js'

type Stores = {
  readonly tags: TagStore
  readonly links: LinkStore
  readonly qrCodes: QrCodeStore
  readonly groups: GroupStore
  readonly accounts: AccountStore
} & Closable

/** What a `TagStore` promises. `open` gives empty stores. */
export function tagStoreContract(open: () => Promise<Stores>): void {
  describe('TagStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open, mine))

    const by = (at: number) => ({ login: 'ada', at })
    let drawn = 0
    const newHash = () => `h${drawn++}`
    function draft(groupGuid: string) {
      const longUrl = `https://example.com/${drawn++}`
      return aLinkDraft({ groupGuid, organizationGuid: 'Omine', longUrl, at: 1000 + drawn })
    }
    async function aLink(own: readonly string[], groupGuid = 'Bmine'): Promise<string> {
      const created = await stores.links.create(draft(groupGuid), { ...noDetails, tags: own }, newHash)
      if (created.outcome !== 'done') throw new Error(created.outcome)
      return created.link.id
    }
    async function aCode(own: readonly string[]): Promise<string> {
      const id = newGuid('qr-code')
      const fields = { id, imageId: newGuid('qr-image'), groupGuid: 'Bmine', organizationGuid: 'Omine', at: 2000 }
      const looks = { title: undefined, archived: false, tags: own, design: undefined, gs1: undefined }
      const destination = { link: draft('Bmine'), details: noDetails }
      await stores.qrCodes.create({ ...fields, ...looks, createdBy: 'ada', destination }, newHash)
      return id
    }
    const link = async (id: string) => {
      const { tags = [], modifiedAt = 0 } = (await stores.links.get(id)) ?? {}
      return { tags, modifiedAt }
    }
    const code = async (id: string) => (await stores.qrCodes.get(id))?.tags
    const names = async () => (await stores.tags.list('Bmine')).map(({ name }) => name)
    const plain = (name: string, links: number, qrCodes = 0): TagDetails => ({
      ...{ name, color: 'gray', description: '' },
      links,
      qrCodes,
    })

    it('lists the tags of links and QR codes together, with how many have each', async () => {
      await aLink(['news', 'Äpfel'])
      await aLink(['news'])
      await aCode(['news', 'print'])
      await aLink(['other'], 'Bother')
      expect(await stores.tags.list('Bmine')).toEqual([plain('Äpfel', 1), plain('news', 2, 1), plain('print', 0, 1)])
    })

    it('gives a tag a color and a description, and touches nothing that has it', async () => {
      const id = await aLink(['news'])
      const before = await link(id)
      expect(await stores.tags.update('Bmine', 'news', { color: 'teal' }, by(9000))).toMatchObject({
        color: 'teal',
        description: '',
      })
      const described = { ...plain('news', 1), color: 'teal', description: 'Weekly' }
      expect(await stores.tags.update('Bmine', 'news', { description: 'Weekly' }, by(9000))).toEqual(described)
      expect(await stores.tags.list('Bmine')).toEqual([described])
      expect(await link(id)).toEqual(before)
    })

    it('renames a tag in its place on everything of the group that has it', async () => {
      const [one, two, foreign] = [await aLink(['a', 'news', 'b']), await aLink(['b']), await aLink(['news'], 'Bother')]
      const printed = await aCode(['news'])
      await stores.tags.update('Bmine', 'news', { color: 'red', description: 'Weekly' }, by(1))
      const renamed = await stores.tags.update('Bmine', 'news', { name: 'letter' }, by(9000))
      expect(renamed).toEqual({ name: 'letter', color: 'red', description: 'Weekly', links: 1, qrCodes: 1 })
      expect(await link(one)).toEqual({ tags: ['a', 'letter', 'b'], modifiedAt: 9000 })
      expect((await link(two)).modifiedAt).toBeLessThan(9000)
      expect((await link(foreign)).tags).toEqual(['news'])
      expect(await code(printed)).toEqual(['letter'])
      expect(await names()).toEqual(['a', 'b', 'letter'])
      expect(await stores.groups.tags('Bmine', 'qr_code')).toEqual(['letter'])
    })

    it('tells the history of each link', async () => {
      const [one, both] = [await aLink(['a', 'news']), await aLink(['letter', 'news'])]
      await stores.links.update(one, { title: 'One' }, by(2000))
      await stores.tags.update('Bmine', 'news', { color: 'red' }, by(3000))
      await stores.tags.update(
        'Bmine',
        'news',
        { name: 'letter', merge: true },
        { login: 'bob', clientId: 'app', at: 9000 },
      )
      const [merged, titled] = await stores.links.history(one, { after: undefined, size: 10 })
      const change = { before: { tags: ['a', 'news'] }, after: { tags: ['a', 'letter'] } }
      expect(merged).toMatchObject({ number: 2, login: 'bob', clientId: 'app', createdAt: 9000, ...change })
      expect(titled).toMatchObject({ number: 1 })
      await stores.tags.remove('Bmine', 'letter', by(9001))
      expect(await stores.links.history(both, { after: undefined, size: 10 })).toMatchObject([
        { number: 2, before: { tags: ['letter'] }, after: { tags: [] } },
        { number: 1, before: { tags: ['letter', 'news'] }, after: { tags: ['letter'] } },
      ])
    })

    it('keeps a name that is already its own', async () => {
      const id = await aLink(['news'])
      expect(await stores.tags.update('Bmine', 'news', { name: 'news', color: 'pink' }, by(9000))).toMatchObject({
        color: 'pink',
      })
      expect((await link(id)).modifiedAt).toBeLessThan(9000)
    })

    it('refuses a name that another tag has, on links or on QR codes, and changes nothing', async () => {
      const id = await aLink(['news'])
      const before = await link(id)
      await aCode(['print'])
      expect(await stores.tags.update('Bmine', 'news', { name: 'print', color: 'red' }, by(9000))).toBe('taken')
      expect(await link(id)).toEqual(before)
      expect(await stores.tags.list('Bmine')).toEqual([plain('news', 1), plain('print', 0, 1)])
    })

    it('merges two tags when asked to: each item has the other one once', async () => {
      const [one, both] = [await aLink(['news', 'x']), await aLink(['letter', 'news'])]
      await aLink(['letter'])
      const printed = await aCode(['news'])
      await stores.tags.update('Bmine', 'news', { color: 'red', description: 'Old' }, by(1))
      await stores.tags.update('Bmine', 'letter', { color: 'blue' }, by(1))
      const merged = await stores.tags.update(
        'Bmine',
        'news',
        { name: 'letter', merge: true, description: 'All' },
        by(9000),
      )
      expect(merged).toEqual({ name: 'letter', color: 'blue', description: 'All', links: 3, qrCodes: 1 })
      expect((await link(one)).tags).toEqual(['letter', 'x'])
      expect((await link(both)).tags).toEqual(['letter'])
      expect(await code(printed)).toEqual(['letter'])
      expect(await names()).toEqual(['letter', 'x'])
    })

    it('removes a tag from everything that has it, with its color', async () => {
      const id = await aLink(['a', 'news'])
      const printed = await aCode(['news'])
      await stores.tags.update('Bmine', 'news', { color: 'red' }, by(1))
      expect(await stores.tags.remove('Bmine', 'news', by(9000))).toBe(true)
      expect(await link(id)).toEqual({ tags: ['a'], modifiedAt: 9000 })
      expect(await code(printed)).toEqual([])
      expect(await names()).toEqual(['a'])
      await aLink(['news'])
      expect(await stores.tags.list('Bmine')).toEqual([plain('a', 1), plain('news', 1)])
    })

    it('forgets the color of a tag when its last link loses it', async () => {
      const id = await aLink(['news'])
      await stores.tags.update('Bmine', 'news', { color: 'red' }, by(1))
      await stores.links.update(id, { tags: [] }, { login: 'ada', at: 3000 })
      await stores.links.update(id, { tags: ['news'] }, { login: 'ada', at: 3000 })
      expect(await stores.tags.list('Bmine')).toEqual([plain('news', 1)])
    })

    it('tells the addresses of the links that have one of the tags, up to a limit', async () => {
      const [one, two] = [await aLink(['a']), await aLink(['a', 'b'])]
      await aLink(['c'])
      await aLink(['a'], 'Bother')
      await stores.links.addKeyword('sho.rt/word', two, by(2000))
      const both = [one, two, 'sho.rt/word'].sort()
      expect((await stores.tags.addresses('Bmine', ['a'], 10))?.toSorted()).toEqual(both)
      expect((await stores.tags.addresses('Bmine', ['b', 'a'], 3))?.toSorted()).toEqual(both)
      expect(await stores.tags.addresses('Bmine', ['b', 'a'], 2)).toBeUndefined()
      expect(await stores.tags.addresses('Bmine', ['b'], 2)).toHaveLength(2)
      expect(await stores.tags.addresses('Bmine', ['a'], 1)).toBeUndefined()
      expect(await stores.tags.addresses('Bmine', ['none'], 1)).toEqual([])
    })

    it('knows no tag that nothing has', async () => {
      await aLink(['news'], 'Bother')
      expect(await stores.tags.update('Bmine', 'news', { color: 'red' }, by(9000))).toBe('missing')
      expect(await stores.tags.update('Bmine', 'news', { name: 'letter' }, by(9000))).toBe('missing')
      expect(await stores.tags.remove('Bmine', 'news', by(9000))).toBe(false)
      expect(await stores.tags.list('Bmine')).toEqual([])
    })

    it('changes more links than one statement does, and counts them right', async () => {
      for (let made = 0; made < 450; made += 1) await aLink(made % 3 === 0 ? ['news', 'letter'] : ['news'])
      const merged = await stores.tags.update('Bmine', 'news', { name: 'letter', merge: true }, by(9000))
      expect(merged).toMatchObject({ name: 'letter', links: 450 })
      const page = await stores.links.page({
        groupGuid: 'Bmine',
        filter: { tags: ['letter'] },
        after: undefined,
        size: 500,
      })
      expect(page.items).toHaveLength(450)
      expect(page.items.every(({ modifiedAt }) => modifiedAt === 9000)).toBe(true)
      expect(await stores.tags.remove('Bmine', 'letter', by(9001))).toBe(true)
      expect(await stores.tags.list('Bmine')).toEqual([])
    })

    it('changes a tag in steps of some links and QR codes, which have the tag or the new one in between', async () => {
      const ids = [await aLink(['news', 'x']), await aLink(['news']), await aLink(['news', 'letters'])]
      const coded = await aCode(['news'])
      await stores.tags.update('Bmine', 'news', { color: 'teal' }, by(8000))
      const step = (merge = true) => stores.tags.replaceSome('Bmine', 'news', { name: 'weekly', merge }, 2, by(9000))
      expect(await step(false)).toEqual({ items: 2, more: true })
      expect(await stores.tags.list('Bmine')).toMatchObject([
        { name: 'letters' },
        { name: 'news', links: 1, qrCodes: 1, color: 'teal' },
        { name: 'weekly', links: 2, qrCodes: 0, color: 'teal' },
        { name: 'x' },
      ])
      expect(await step()).toEqual({ items: 2, more: false })
      expect(await step()).toEqual({ items: 0, more: false })
      expect(await Promise.all(ids.map(async (id) => (await link(id)).tags))).toEqual([
        ['weekly', 'x'],
        ['weekly'],
        ['weekly', 'letters'],
      ])
      expect(await code(coded)).toEqual(['weekly'])
      expect(await names()).toEqual(['letters', 'weekly', 'x'])
      // Into a tag that some have already, which keeps its color; then away.
      await stores.tags.update('Bmine', 'letters', { color: 'pink' }, by(9500))
      const merged = await stores.tags.replaceSome('Bmine', 'weekly', { name: 'letters', merge: true }, 100, by(9600))
      expect(merged).toEqual({ items: 4, more: false })
      expect((await stores.tags.list('Bmine'))[0]).toMatchObject({
        name: 'letters',
        links: 3,
        qrCodes: 1,
        color: 'pink',
      })
      expect(await stores.tags.replaceSome('Bmine', 'letters', {}, 100, by(9700))).toEqual({ items: 4, more: false })
      expect(await names()).toEqual(['x'])
    })

    it('changes no step of a tag to a name that another has, unless they merge', async () => {
      const id = await aLink(['news'])
      const before = await link(id)
      await aCode(['print'])
      const step = (change: TagChange) => stores.tags.replaceSome('Bmine', 'news', change, 2, by(9000))
      expect(await step({ name: 'print', color: 'red' })).toBe('taken')
      expect(await link(id)).toEqual(before)
      expect(await stores.tags.list('Bmine')).toEqual([plain('news', 1), plain('print', 0, 1)])
      expect(await step({ name: 'print', merge: true })).toEqual({ items: 1, more: false })
      expect(await step({ name: 'print' })).toEqual({ items: 0, more: false })
    })

    it('goes on in steps while others take the tag from what a step found', async () => {
      for (let round = 0; round < 5; round += 1) {
        const found = [await aLink(['news']), await aLink(['news'])]
        await aLink(['news'])
        const [step] = await Promise.all([
          stores.tags.replaceSome('Bmine', 'news', {}, 2, by(9000)),
          stores.links.changeAll('Bmine', found, { addTags: [], removeTags: ['news'] }, by(9001)),
        ])
        const isUsed = (await names()).includes('news')
        expect(step).toMatchObject({ more: isUsed })
        await stores.tags.remove('Bmine', 'news', by(9002))
      }
    })

    it('counts the tags of a full group right while one is renamed in steps', async () => {
      const full = Array.from({ length: tagsPerGroup / tagsPerLink }, (_, n) =>
        Array.from({ length: tagsPerLink }, (_, tag) => `t${n}-${tag}`),
      )
      for (const own of full) await aLink(own)
      const id = await aLink(['t0-0'])
      const step = (merge: boolean) => stores.tags.replaceSome('Bmine', 't0-0', { name: 'new', merge }, 1, by(9000))
      expect([await step(false), await step(true)]).toEqual([
        { items: 1, more: true },
        { items: 1, more: false },
      ])
      const tagged = () => stores.links.update(id, { tags: ['new', 'one-more'] }, by(9001))
      expect(await tagged()).toEqual({ outcome: 'too-many-tags', on: 'group' })
    })

    it('lets one of two racing tags have a name', async () => {
      const ids = [await aLink(['one']), await aLink(['two'])]
      const answers = await Promise.all(
        ['one', 'two'].map((tag) => stores.tags.update('Bmine', tag, { name: 'both' }, by(9000))),
      )
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1)
      const lost = answers[0] === 'taken' ? 'one' : 'two'
      expect(await stores.tags.list('Bmine')).toEqual([plain('both', 1), plain(lost, 1)])
      const shown = await Promise.all(ids.map(async (id) => (await link(id)).tags))
      expect(shown.flat().sort()).toEqual(['both', lost].sort())
    })

    it('counts right when links are tagged while the tag is renamed', async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, () => aLink(['news'])))
      const edit = { addTags: ['news'], removeTags: [] }
      await Promise.all([
        stores.tags.update('Bmine', 'news', { name: 'letter' }, by(9000)),
        ...ids.map((id) => stores.links.changeAll('Bmine', [id], edit, by(9001))),
        ...ids.map(() => aLink(['news'])),
      ])
      for (const { name, links } of await stores.tags.list('Bmine')) {
        const filter = { tags: [name] }
        const { items } = await stores.links.page({ groupGuid: 'Bmine', filter, after: undefined, size: 100 })
        expect([name, items.length]).toEqual([name, links])
      }
    })
  })
}
