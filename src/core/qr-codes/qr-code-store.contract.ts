import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { GroupStore } from '../accounts/group-store.js'
import { openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type { ImageStore } from '../images/image-store.js'
import { type LinkDraft, noDetails } from '../links/link.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import { plainDesign } from '../qr-design/design.js'
import type { StreamStore } from '../stream/stream-store.js'
import type { UsageStore } from '../usage/usage-store.js'
import { newGuid } from '../values/guid.js'
import type { QrCode, QrCodeChange, QrCodeDraft } from './qr-code.js'
import type { QrCodeFilter, QrCodeStore } from './qr-code-store.js'

type Stores = {
  readonly qrCodes: QrCodeStore
  readonly links: LinkStore
  readonly groups: GroupStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly streamStore: StreamStore
  readonly images: ImageStore
} & Closable

/** What a `QrCodeStore` promises. `open` gives empty stores. */
export function qrCodeStoreContract(open: () => Promise<Stores>): void {
  describe('QrCodeStore', () => {
    const groupGuid = 'Bgroup00001'
    const organizationGuid = 'Oorganization'
    const at = 1_700_000_000_123
    const context = { login: 'bob', at: at + 1000 }
    const stores = storesOfEachTest(() =>
      openBootstrapped(open, { organization: organizationGuid, group: groupGuid, login: 'ada', at: 1 }),
    )
    let qrCodes: QrCodeStore
    let links: LinkStore
    beforeEach(async () => {
      qrCodes = stores.qrCodes
      links = stores.links
    })

    let drawn = 0
    const newHash = () => `h${(drawn++).toString().padStart(6, '0')}`
    const anyDraft = (fields: Partial<LinkDraft> = {}) =>
      aLinkDraft({ groupGuid, organizationGuid, longUrl: `https://example.com/${drawn++}`, at, ...fields })
    const aLink = async (fields?: Partial<LinkDraft>) => (await links.findOrInsert(anyDraft(fields), newHash)).link
    const aDraft = (fields: Partial<QrCodeDraft> = {}): QrCodeDraft => ({
      id: newGuid('qr-code'),
      imageId: newGuid('qr-image'),
      groupGuid,
      organizationGuid,
      title: undefined,
      archived: false,
      tags: [],
      design: undefined,
      gs1: undefined,
      createdBy: 'ada',
      at,
      destination: { link: anyDraft({ at: fields.at ?? at }), details: noDetails },
      ...fields,
    })
    async function make(fields?: Partial<QrCodeDraft>): Promise<QrCode> {
      const created = await qrCodes.create(aDraft(fields), newHash)
      if (created.outcome !== 'done') throw new Error(created.outcome)
      return created.code
    }
    const codeFor = (address: string, fields: Partial<QrCodeDraft> = {}) =>
      make({ destination: { address }, ...fields })
    async function change(id: string, input: QrCodeChange): Promise<QrCode> {
      const updated = await qrCodes.update(id, input, context)
      if (updated.outcome !== 'done') throw new Error(updated.outcome)
      return updated.code
    }
    const couple = (id: string) => qrCodes.couple(id, { ...context, organizationGuid, branded: false })
    async function used(): Promise<Record<string, number>> {
      const counters = ['links', 'branded_links', 'redirects', 'qr_codes'] as const
      const days = await stores.usage.perDay({ groupGuid }, counters, { from: 0, to: Number.MAX_SAFE_INTEGER })
      return Object.fromEntries(days.map(({ counter, count }) => [counter, count]))
    }
    const page = async (filter: QrCodeFilter = {}) =>
      (await qrCodes.page({ groupGuid, filter, after: undefined, size: 100 })).items.map(({ id }) => id)
    const listed = async () =>
      (await links.page({ groupGuid, filter: {}, after: undefined, size: 100 })).items.map(({ id }) => id)

    describe('a code for a link', () => {
      it('has what the draft says, and what the link has', async () => {
        const { id: linkId, longUrl } = await aLink()
        const design = { ...plainDesign, dotPatternColor: '#123456' }
        const draft = aDraft({ title: 'Poster', tags: ['b', 'a'], design, destination: { address: linkId } })
        const code = {
          id: draft.id,
          imageId: draft.imageId,
          groupGuid,
          address: linkId,
          linkId,
          standAlone: false,
          title: 'Poster',
          archived: false,
          tags: ['b', 'a'],
          design,
          gs1: undefined,
          createdBy: 'ada',
          createdAt: at,
          modifiedAt: at,
          deletedAt: undefined,
          longUrl,
          expiresAt: undefined,
          routing: [],
        }
        expect(await qrCodes.create(draft, newHash)).toEqual({ outcome: 'done', code })
        expect(await qrCodes.get(draft.id)).toEqual(code)
        expect(await qrCodes.get('Qnone')).toBeUndefined()
      })

      it('is found by its image id until it is deleted, by itself or with its link', async () => {
        const { id: linkId } = await aLink()
        const [one, other, alone] = [await codeFor(linkId), await codeFor(linkId), await make()]
        for (const code of [one, other, alone]) expect(await qrCodes.byImageId(code.imageId)).toEqual(code)
        expect(await qrCodes.byImageId('Pnone')).toBeUndefined()
        expect(await qrCodes.byImageId(one.id)).toBeUndefined()
        await qrCodes.remove(alone.id, at)
        await links.remove(linkId, at)
        for (const code of [one, other, alone]) expect(await qrCodes.byImageId(code.imageId)).toBeUndefined()
      })

      it('is named by the link, the newest code first', async () => {
        const { id } = await aLink()
        const [one, other] = [await codeFor(id), await codeFor(id, { at: at + 1 })]
        expect((await links.get(id))?.qrCodeIds).toEqual([other.id, one.id])
        const list = await links.page({ groupGuid, filter: { qrCodes: true }, after: undefined, size: 10 })
        expect(list.items.map((link) => link.qrCodeIds)).toEqual([[other.id, one.id]])
        const without = await links.page({ groupGuid, filter: { qrCodes: false }, after: undefined, size: 10 })
        expect(without.items).toEqual([])
      })

      it('counts as a code, and as no link', async () => {
        await codeFor((await aLink()).id)
        expect(await used()).toEqual({ links: 1, qr_codes: 1 })
      })

      it('needs a link of the group that is there and not hidden', async () => {
        const foreign = await aLink({ groupGuid: 'Bother' })
        const { id: gone } = await aLink()
        await links.remove(gone, at)
        const hidden = await make()
        for (const address of [foreign.id, gone, hidden.address, 'sho.rt/nothing']) {
          expect(await qrCodes.create(aDraft({ destination: { address } }), newHash)).toEqual({ outcome: 'no-link' })
        }
        expect(await used()).toMatchObject({ qr_codes: 1 })
      })

      it('may have a keyword inside, and follows it to another link', async () => {
        const [one, other] = [await aLink(), await aLink()]
        await links.addKeyword('sho.rt/poster', one.id, context)
        const code = await codeFor('sho.rt/poster')
        expect(code).toMatchObject({ address: 'sho.rt/poster', linkId: one.id })
        const own = await codeFor(one.id)
        await links.moveKeyword('sho.rt/poster', other.id, context)
        expect(await qrCodes.get(code.id)).toMatchObject({ linkId: other.id, longUrl: other.longUrl })
        expect((await links.get(one.id))?.qrCodeIds).toEqual([own.id])
        expect((await links.get(other.id))?.qrCodeIds).toEqual([code.id])
      })

      it('is deleted with its link, and frees its tags', async () => {
        const { id } = await aLink()
        const code = await codeFor(id, { tags: ['mine'] })
        await links.remove(id, at + 5)
        expect(await qrCodes.get(code.id)).toMatchObject({ deletedAt: at + 5, tags: [] })
        expect(await stores.groups.tags(groupGuid, 'qr_code')).toEqual([])
        expect(await page()).toEqual([])
      })

      it('raced by the deletion of the link is deleted with it, or not made', async () => {
        for (let each = 0; each < 5; each++) {
          const { id } = await aLink()
          const draft = aDraft({ destination: { address: id } })
          const [created] = await Promise.all([qrCodes.create(draft, newHash), links.remove(id, at)])
          const code = await qrCodes.get(draft.id)
          if (created.outcome === 'done') expect(code?.deletedAt).toBe(at)
          else expect(code).toBeUndefined()
        }
      })
    })

    describe('a stand-alone code', () => {
      it('has a link of its own, which leads visitors there at once', async () => {
        const link = anyDraft()
        const routing = [{ longUrl: 'https://example.com/de', countryMatch: ['DE'] }]
        const code = await make({ destination: { link, details: { ...noDetails, routing, expiresAt: at + 9 } } })
        expect(code).toMatchObject({ standAlone: true, longUrl: link.longUrl, routing, expiresAt: at + 9 })
        expect(code.address).toBe(code.linkId)
        expect(await links.target(code.address)).toMatchObject({ longUrl: link.longUrl, groupGuid, expiresAt: at + 9 })
      })

      it('counts as a code, and as no link', async () => {
        await make({ destination: { link: anyDraft({ branded: true }), details: noDetails } })
        expect(await used()).toEqual({ qr_codes: 1 })
      })

      it('has a link that is in no list of links, no search and no count', async () => {
        const longUrl = 'https://hidden.example/'
        const { address } = await make({ destination: { link: anyDraft({ longUrl }), details: noDetails } })
        expect(await listed()).toEqual([])
        expect(await links.linksAt(groupGuid, [address])).toEqual(new Map())
        expect(await links.addressesAt(groupGuid, [address])).toEqual(new Map())
        expect(await links.addressesAt(groupGuid, [address], true)).toEqual(new Map([[address, [address]]]))
        expect(await links.hosts(groupGuid, 100)).toEqual([])
        expect(await links.isKnownLongUrl(longUrl)).toBe(false)
        expect(await links.groupLinkTo(groupGuid, 'sho.rt', longUrl)).toBeUndefined()
        expect(await links.addressesLeadingTo(longUrl)).toEqual([])
        expect(await links.encoderCount(longUrl)).toBe(0)
        expect(await links.encoders(longUrl, { organizationGuids: ['O1'], size: 9 })).toEqual([])
        const bulk = await links.changeAll(groupGuid, [address], { archived: true }, { login: 'ada', at })
        expect(bulk).toEqual({ outcome: 'missing', item: address })
        expect(await stores.usage.linksPerMinute(groupGuid, { from: 0, to: at * 2 })).toEqual([])
        expect(await stores.usage.firstLinkAt(groupGuid, 0)).toBeUndefined()
        expect(await stores.streamStore.newLinks({ createdAt: 0, id: '' }, at * 2, 9)).toEqual([])
        // What shortens the same URL gets a link of its own.
        expect((await links.findOrInsert(anyDraft({ longUrl }), newHash)).created).toBe(true)
        expect(await links.get(address)).toMatchObject({ hidden: true })
      })

      it('becomes a link of the group when the two are coupled: as if it was made now, and counted once', async () => {
        const code = await make({ title: 'Poster' })
        const earlier = await aLink({ at: at + 1 })
        expect(await couple(code.id)).toMatchObject({
          outcome: 'done',
          coupledNow: true,
          link: { id: code.address, hidden: false, title: 'Poster', createdAt: context.at, qrCodeIds: [code.id] },
        })
        expect(await couple(code.id)).toMatchObject({ outcome: 'done', coupledNow: false, link: { id: code.address } })
        expect(await used()).toEqual({ links: 2, qr_codes: 1 })
        expect(await listed()).toEqual([code.address, earlier.id])
        expect(await qrCodes.get(code.id)).toMatchObject({ standAlone: false, createdAt: at })
        const fresh = await stores.streamStore.newLinks({ createdAt: at + 1, id: earlier.id }, at * 2, 9)
        expect(fresh.map(({ id }) => id)).toEqual([code.address])
        expect(await stores.usage.linksPerMinute(groupGuid, { from: 0, to: at * 2 })).toMatchObject([{ count: 2 }])
      })

      it('coupled by several at once is counted once, on its branded domain too', async () => {
        const code = await make()
        const input = { ...context, organizationGuid, branded: true }
        const answers = await Promise.all([1, 2, 3].map(() => qrCodes.couple(code.id, input)))
        expect(answers.filter((answer) => answer.outcome === 'done' && answer.coupledNow)).toHaveLength(1)
        expect(await used()).toEqual({ links: 1, branded_links: 1, qr_codes: 1 })
        expect(await couple('Qnone')).toEqual({ outcome: 'missing' })
      })

      it('is found by its link', async () => {
        const [one, other] = [await make(), await make()]
        const coupled = await make()
        await couple(coupled.id)
        const found = await qrCodes.standAlone(groupGuid, [one.linkId, other.linkId, coupled.linkId, 'sho.rt/x'])
        expect([...found].sort()).toEqual(
          [
            [one.linkId, one],
            [other.linkId, other],
          ].sort(),
        )
        expect(await qrCodes.standAlone('Bother', [one.linkId])).toEqual(new Map())
      })
    })

    describe('a change', () => {
      it('changes what it names and keeps the rest', async () => {
        const code = await make({ title: 'Old', tags: ['a'] })
        expect(await change(code.id, { title: 'New' })).toEqual({ ...code, title: 'New', modifiedAt: context.at })
        const design = { ...plainDesign, dotPatternColor: '#123456' }
        const wanted = { archived: true, tags: ['b', 'c'], design }
        expect(await change(code.id, wanted)).toMatchObject({ ...wanted, title: 'New' })
        const plain = await change(code.id, { title: null, design: null, tags: [] })
        expect(plain).toMatchObject({ title: undefined, design: undefined, tags: [] })
        expect(await stores.groups.tags(groupGuid, 'qr_code')).toEqual([])
        expect(await qrCodes.update('Qnone', {}, context)).toEqual({ outcome: 'missing' })
      })

      it('by several at once keeps what each of them changed, and the GS1 values', async () => {
        const gs1 = { values: [{ key: '01', value: '09506000134352' }], link: '/01/09506000134352' }
        const code = await make({ gs1 })
        const design = { ...plainDesign, dotPatternColor: '#123456' }
        const longUrl = 'https://example.com/elsewhere'
        await Promise.all([
          change(code.id, { title: 'New' }),
          change(code.id, { design }),
          change(code.id, { link: { longUrl } }),
          change(code.id, { archived: true, tags: ['a'] }),
        ])
        const changed = { title: 'New', design, longUrl, archived: true, tags: ['a'], gs1 }
        expect(await qrCodes.get(code.id)).toMatchObject(changed)
      })

      it('leads a stand-alone code elsewhere, which counts', async () => {
        const code = await make()
        const longUrl = 'https://example.com/elsewhere'
        expect(await change(code.id, { link: { longUrl } })).toMatchObject({ longUrl, modifiedAt: context.at })
        expect(await links.target(code.address)).toMatchObject({ longUrl })
        expect(await used()).toEqual({ redirects: 1, qr_codes: 1 })
        expect(await change(code.id, { link: { expiresAt: at + 5 } })).toMatchObject({ expiresAt: at + 5 })
        expect(await used()).toEqual({ redirects: 1, qr_codes: 1 })
      })

      it('does not reach the link of a coupled code, and changes nothing then', async () => {
        const { id, longUrl } = await aLink()
        const code = await codeFor(id, { title: 'Old' })
        const wish = { title: 'New', link: { longUrl: 'https://example.com/else' } }
        expect(await qrCodes.update(code.id, wish, context)).toEqual({ outcome: 'coupled' })
        expect(await qrCodes.get(code.id)).toMatchObject({ title: 'Old', longUrl })
        expect(await used()).toEqual({ links: 1, qr_codes: 1 })
      })
    })

    describe('a logo', () => {
      const withLogo = (imageGuid: string) => ({ ...plainDesign, logo: { imageGuid } })
      async function anImage(guid: string): Promise<void> {
        const sha256 = createHash('sha256').update(guid).digest('hex')
        const blobKey = `${sha256}-0000000001`
        await stores.images.addUnusedBlob(blobKey, Number.MAX_SAFE_INTEGER)
        const image = { guid, groupGuid, sha256, blobKey, mimeType: 'image/png', width: 1, height: 1, size: 1 } as const
        await stores.images.add({ ...image, name: '', createdAt: at, createdBy: 'ada', limit: 100 })
      }

      it('is an image that is there, and that nobody removes while the code uses it', async () => {
        for (const guid of ['Ione', 'Itwo']) await anImage(guid)
        const code = await make({ design: withLogo('Ione') })
        expect(await stores.images.remove('Ione', at)).toBe('in-use')
        await change(code.id, { design: withLogo('Itwo') })
        expect(await stores.images.remove('Ione', at)).toBe('removed')
        expect(await qrCodes.update(code.id, { title: 'x', design: withLogo('Ione') }, context)).toEqual({
          outcome: 'no-image',
        })
        expect(await qrCodes.get(code.id)).toMatchObject({ title: undefined, design: withLogo('Itwo') })
        await change(code.id, { title: 'x' })
        expect(await stores.images.remove('Itwo', at)).toBe('in-use')
        await qrCodes.remove(code.id, at)
        expect(await stores.images.remove('Itwo', at)).toBe('removed')
        expect(await qrCodes.create(aDraft({ design: withLogo('Itwo') }), newHash)).toEqual({ outcome: 'no-image' })
        expect(await used()).toEqual({ qr_codes: 1 })
      })

      it('raced by its removal is used, or not there', async () => {
        for (let each = 0; each < 5; each++) {
          await anImage(`I${each}`)
          const draft = aDraft({ design: withLogo(`I${each}`) })
          const [created, removed] = await Promise.all([
            qrCodes.create(draft, newHash),
            stores.images.remove(`I${each}`, at),
          ])
          const expected = created.outcome === 'done' ? 'in-use' : 'removed'
          expect([created.outcome === 'done' || created.outcome === 'no-image', removed]).toEqual([true, expected])
        }
      })

      it('is free when the link of the code is deleted', async () => {
        await anImage('Ione')
        const { id } = await aLink()
        await codeFor(id, { design: withLogo('Ione') })
        await links.remove(id, at)
        expect(await stores.images.remove('Ione', at)).toBe('removed')
      })
    })

    describe('tags', () => {
      it('of codes and of links are told apart', async () => {
        await make({ tags: ['code'] })
        await links.create(anyDraft(), { ...noDetails, tags: ['link'] }, newHash)
        expect(await stores.groups.tags(groupGuid, 'qr_code')).toEqual(['code'])
        expect(await stores.groups.tags(groupGuid, 'shortlink')).toEqual(['link'])
      })

      it('of a group are at most a thousand: what would be one more is not made', async () => {
        const many = Array.from({ length: 1000 }, (_, index) => `t${index}`)
        for (let from = 0; from < 1000; from += 100) await make({ tags: many.slice(from, from + 100) })
        const draft = aDraft({ tags: ['one-more'] })
        expect(await qrCodes.create(draft, newHash)).toEqual({ outcome: 'too-many-tags' })
        expect(await qrCodes.get(draft.id)).toBeUndefined()
        const { id } = await make({ tags: ['t1'] })
        expect(await qrCodes.update(id, { tags: ['one-more'] }, context)).toEqual({ outcome: 'too-many-tags' })
        expect(await used()).toEqual({ qr_codes: 11 })
      })
    })

    describe('a deletion', () => {
      it('deletes the link too, and frees the tags', async () => {
        const code = await make({ tags: ['mine'] })
        expect(await qrCodes.remove(code.id, at + 5)).toEqual({ outcome: 'removed', linkIds: [code.linkId] })
        expect(await qrCodes.get(code.id)).toMatchObject({ deletedAt: at + 5 })
        expect(await links.target(code.address)).toMatchObject({ deletedAt: at + 5 })
        expect(await stores.groups.tags(groupGuid, 'qr_code')).toEqual([])
        expect(await qrCodes.remove(code.id, at + 6)).toEqual({ outcome: 'missing' })
        expect(await qrCodes.remove('Qnone', at + 6)).toEqual({ outcome: 'missing' })
        expect(await qrCodes.update(code.id, { title: 'x' }, context)).toEqual({ outcome: 'missing' })
        expect(await couple(code.id)).toEqual({ outcome: 'missing' })
      })

      it('keeps a link that other codes lead through, until the last one goes', async () => {
        const { id } = await aLink()
        const [one, other] = [await codeFor(id), await codeFor(id)]
        expect(await qrCodes.remove(one.id, at + 5)).toEqual({ outcome: 'removed', linkIds: [] })
        expect(await links.get(id)).toMatchObject({ deletedAt: undefined, qrCodeIds: [other.id] })
        expect(await qrCodes.remove(other.id, at + 6)).toEqual({ outcome: 'removed', linkIds: [id] })
      })

      it('of all codes at once leaves no link behind', async () => {
        for (let each = 0; each < 5; each++) {
          const { id } = await aLink()
          const codes = [await codeFor(id), await codeFor(id), await codeFor(id)]
          const answers = await Promise.all(codes.map((code) => qrCodes.remove(code.id, at + 5)))
          expect(answers.filter((answer) => answer.outcome === 'removed')).toHaveLength(3)
          expect((await links.get(id))?.deletedAt).toBe(at + 5)
        }
      })

      it('is not for what was redirected or has a keyword', async () => {
        const redirected = await make()
        await change(redirected.id, { link: { longUrl: 'https://example.com/else' } })
        const named = await aLink()
        await links.addKeyword('sho.rt/named', named.id, context)
        for (const { id } of [redirected, await codeFor(named.id), await codeFor('sho.rt/named')]) {
          expect(await qrCodes.remove(id, at)).toEqual({ outcome: 'edited' })
          expect(await qrCodes.get(id)).toMatchObject({ deletedAt: undefined })
        }
      })
    })

    describe('the codes of a group', () => {
      it('come newest first and page by page, without deleted ones and those of others', async () => {
        const made: string[] = []
        for (let each = 0; each < 7; each++) made.unshift((await make({ at: at + each })).id)
        const gone = await make()
        await qrCodes.remove(gone.id, at)
        await make({
          groupGuid: 'Bother',
          destination: { link: anyDraft({ groupGuid: 'Bother' }), details: noDetails },
        })
        const seen: string[] = []
        for (let after: QrCode | undefined, more = true; more; ) {
          const next = await qrCodes.page({ groupGuid, filter: {}, after, size: 3 })
          seen.push(...next.items.map(({ id }) => id))
          after = next.items.at(-1)
          more = next.more
        }
        expect(seen).toEqual(made)
      })

      it('are found by what they are like', async () => {
        const design = { ...plainDesign, dotPatternColor: '#123456' }
        const routing = [{ longUrl: 'https://example.com/de', countryMatch: ['DE'] }]
        const link = await aLink({ longUrl: 'https://shop.example.com/shoes?x=1' })
        const coupled = await codeFor(link.id, { at, title: 'Red Shoes', createdBy: 'bob', design })
        const plain = await make({ at: at + 1, tags: ['a'], archived: true })
        const gs1 = { values: [{ key: '01', value: '09506000134352' }], link: '/01/09506000134352' }
        const other = await make({
          at: at + 2,
          tags: ['a', 'b'],
          gs1,
          destination: {
            link: anyDraft({ domain: 'other.example' }),
            details: { ...noDetails, routing, expiresAt: 5 },
          },
        })
        const all = [other.id, plain.id, coupled.id]
        const without = (id: string) => all.filter((each) => each !== id)
        expect(await page()).toEqual(all)
        expect(await page({ archived: true })).toEqual([plain.id])
        expect(await page({ archived: false })).toEqual(without(plain.id))
        expect(await page({ standAlone: true })).toEqual(without(coupled.id))
        expect(await page({ standAlone: false })).toEqual([coupled.id])
        expect(await page({ designed: true })).toEqual([coupled.id])
        expect(await page({ designed: false })).toEqual(without(coupled.id))
        expect(await page({ gs1: true })).toEqual([other.id])
        expect(await page({ gs1: false })).toEqual(without(other.id))
        expect(await page({ routing: true })).toEqual([other.id])
        expect(await page({ expires: true })).toEqual([other.id])
        expect(await page({ expired: { at: 5, wanted: true } })).toEqual([other.id])
        expect(await page({ expired: { at: 4, wanted: true } })).toEqual([])
        expect(await page({ expired: { at: 5, wanted: false } })).toEqual(without(other.id))
        expect(await page({ makers: ['bob', 'eve'] })).toEqual([coupled.id])
        expect(await page({ domain: 'other.example' })).toEqual([other.id])
        expect(await page({ tags: ['a'] })).toEqual([other.id, plain.id])
        expect(await page({ tags: ['b', 'a'] })).toEqual([other.id])
        expect(await page({ tags: ['a'], archived: false })).toEqual([other.id])
        expect(await page({ createdAfter: at + 1 })).toEqual([other.id, plain.id])
        expect(await page({ createdBefore: at + 1 })).toEqual([coupled.id])
        expect(await page({ words: ['shoes', 'red'] })).toEqual([coupled.id])
        expect(await page({ words: ['shoes', 'green'] })).toEqual([])
        expect(await page({ words: [plain.address.split('/')[1] ?? ''] })).toEqual([plain.id])
        expect(await page({ words: ['sho.rt'] })).toEqual([])
        expect(await page({ destination: { host: 'example.com', path: '/shoes' } })).toEqual([coupled.id])
        expect(await page({ destination: { host: 'ample.com', path: '' } })).toEqual([])
      })

      it('are changed all or none', async () => {
        const [one, other] = [await make({ tags: ['a'] }), await make()]
        const ids = [one.id, other.id]
        const archive = (names: readonly string[]) =>
          qrCodes.changeAll(groupGuid, names, { archived: true }, { login: 'ada', at: at + 1 })
        expect(await archive([...ids, 'Qnone'])).toEqual({ outcome: 'missing', item: 'Qnone' })
        expect(await qrCodes.changeAll('Bother', ids, { archived: true }, { login: 'ada', at })).toMatchObject({
          outcome: 'elsewhere',
        })
        expect(await page({ archived: true })).toEqual([])
        expect(await archive(ids)).toEqual({ outcome: 'changed', ids })
        expect((await page({ archived: true })).sort()).toEqual(ids.toSorted())
        const edit = { removeTags: ['a'], addTags: ['b'] }
        expect(await qrCodes.changeAll(groupGuid, ids, edit, { login: 'ada', at: at + 1 })).toEqual({
          outcome: 'changed',
          ids,
        })
        expect((await qrCodes.get(one.id))?.tags).toEqual(['b'])
        expect(await stores.groups.tags(groupGuid, 'qr_code')).toEqual(['b'])
        await qrCodes.remove(other.id, at)
        expect(await archive(ids)).toEqual({ outcome: 'gone', item: other.id })
      })
    })
  })
}
