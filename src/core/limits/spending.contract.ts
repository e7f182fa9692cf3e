import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { openBootstrapped } from '../accounts/stores.builder.js'
import { type LinkDetails, type LinkDraft, noDetails } from '../links/link.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'

import type { UsageStore } from '../usage/usage-store.js'
import type { PlanLimits } from './plan.js'

type Stores = {
  readonly usage: UsageStore
  readonly links: LinkStore
  readonly accounts: AccountStore
} & Closable

/** What the stores that count promise about plans: nothing is written that a plan has no room for. */
export function spendingContract(open: (limits: PlanLimits) => Promise<Stores>): void {
  describe('what a plan limits', () => {
    const march = Date.parse('2026-03-31T23:59:59Z')
    const april = Date.parse('2026-04-01T00:00:00Z')
    const organization = 'Oorganization'
    let stores: Stores
    let limits: Record<string, number>
    beforeEach(async () => {
      limits = {}
      // The same object throughout: a plan may change while the service runs.
      stores = await openBootstrapped(() => open(limits), { organization, group: 'Bgroup00001', login: 'ada', at: 1 })
    })
    afterEach(() => stores.close())

    let drawn = 0
    const newHash = () => `h${(drawn++).toString().padStart(6, '0')}`
    const draft = (input: Partial<LinkDraft> = {}) =>
      aLinkDraft({ organizationGuid: organization, longUrl: `https://example.com/${drawn++}`, at: march, ...input })
    const details = (input: Partial<LinkDetails> = {}) => ({ ...noDetails, title: 'A title', ...input })
    const make = (input?: Partial<LinkDraft>) => stores.links.findOrInsert(draft(input), newHash)
    const context = { login: 'ada', at: march }
    async function used(at = march): Promise<Record<string, number>> {
      const counters = ['links', 'branded_links', 'custom_back_halves', 'redirects'] as const
      const span = at < april ? { from: 0, to: april } : { from: april, to: Number.MAX_SAFE_INTEGER }
      const days = await stores.usage.perDay({ organizationGuid: organization }, counters, span)
      return Object.fromEntries(days.map(({ counter, count }) => [counter, count]))
    }
    const refusedAs = (code: string) => expect.objectContaining({ name: 'Refusal', code })
    async function codes(tries: readonly Promise<unknown>[]): Promise<Record<string, number>> {
      const counts: Record<string, number> = {}
      for (const settled of await Promise.allSettled(tries)) {
        const name = settled.status === 'fulfilled' ? 'made' : settled.reason.code
        counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    }

    it('gives 200 parallel callers with 50 left exactly 50', async () => {
      limits.encodes = 60
      for (let each = 0; each < 10; each++) await make()
      const tries = Array.from({ length: 200 }, (_, each) =>
        make({ groupGuid: each % 2 === 0 ? 'Bgroup00001' : 'Bgroup00002' }),
      )
      expect(await codes(tries)).toEqual({ made: 50, MONTHLY_ENCODE_LIMIT_REACHED: 150 })
      expect(await used()).toEqual({ links: 60 })
    })

    it('gives racing callers of every kind what is left and no more', async () => {
      const { link } = await make()
      limits.encodes = 31
      const tries = Array.from({ length: 60 }, (_, each) => {
        if (each % 3 === 0) return make()
        if (each % 3 === 1) return stores.links.create(draft(), details(), newHash)
        return stores.links.update(link.id, { longUrl: `https://example.com/at/${each}` }, context)
      })
      expect(await codes(tries)).toEqual({ made: 30, MONTHLY_ENCODE_LIMIT_REACHED: 30 })
      const { links = 0, redirects = 0 } = await used()
      expect(links + redirects).toBe(31)
    })

    it('gives racing callers with many links each exactly what is left, first rows first', async () => {
      limits.encodes = 60
      limits.custom_back_halves = 7
      const known = await make({ longUrl: 'https://example.com/known' })
      const many = (name: string) =>
        Array.from({ length: 30 }, (_, n) => ({
          draft: draft({ longUrl: `https://example.com/${name}/${n}`, forceNew: n < 5 }),
          details: n < 5 ? details({ keyword: `sho.rt/${name}${n}` }) : undefined,
        }))
      const again = { draft: draft({ longUrl: known.link.longUrl }), details: undefined }
      const answers = await Promise.all([
        ...['a', 'b', 'c'].map((name) => stores.links.createAll([...many(name), again], newHash)),
        ...Array.from({ length: 10 }, () =>
          make().then(
            () => [],
            () => [],
          ),
        ),
      ])
      const results = answers.flat()
      const refused = results.flatMap((result) => (result.outcome === 'refused' ? [result.refusal.code] : []))
      expect(refused.filter((code) => code === 'KEYWORD_OVERRIDES_LIMIT_EXCEEDED')).toHaveLength(8)
      expect(await used()).toEqual({ links: 60, custom_back_halves: 7 })
      for (const answer of answers.slice(0, 3)) {
        expect(answer.at(-1)).toMatchObject({ outcome: 'done', created: false })
        const plain = answer.slice(5, 30).map(({ outcome }) => outcome)
        expect(plain).toEqual([...plain].sort())
      }
    })

    it('begins again on the first of the month, UTC', async () => {
      limits.encodes = 1
      await make()
      await expect(make()).rejects.toEqual(refusedAs('MONTHLY_ENCODE_LIMIT_REACHED'))
      await make({ at: april })
      await expect(make({ at: april })).rejects.toEqual(refusedAs('MONTHLY_ENCODE_LIMIT_REACHED'))
      expect([await used(), await used(april)]).toEqual([{ links: 1 }, { links: 1 }])
    })

    it('settles wishes of one turn on both sides of midnight', async () => {
      limits.encodes = 2
      const tries = Array.from({ length: 8 }, (_, each) => make({ at: each % 2 === 0 ? march : april }))
      expect(await codes(tries)).toEqual({ made: 4, MONTHLY_ENCODE_LIMIT_REACHED: 4 })
    })

    it('spends nothing on a link that the group has already', async () => {
      limits.encodes = 1
      const longUrl = 'https://example.com/'
      const first = await make({ longUrl })
      const again = await Promise.all([make({ longUrl }), make({ longUrl }), make({ longUrl })])
      expect(again.map(({ created, link }) => [created, link.id])).toEqual(Array(3).fill([false, first.link.id]))
      expect(await used()).toEqual({ links: 1 })
    })

    it('spends a redirect on the destination that the link has, and leaves the link unedited', async () => {
      limits.redirects = 1
      const { link } = await make()
      const again = () => stores.links.update(link.id, { sameLongUrl: true }, { login: 'ada', at: march })
      expect(await again()).toEqual({ outcome: 'done', link })
      expect(await used()).toMatchObject({ redirects: 1 })
      await expect(again()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED_DESTINATION_OVERRIDES' })
    })

    it('spends nothing on what is refused for another reason', async () => {
      limits.custom_back_halves = 2
      const keyword = 'sho.rt/taken'
      await stores.links.create(draft({ forceNew: true }), details({ keyword }), newHash)
      const { link } = await make()
      await stores.links.create(draft({ forceNew: true }), details({ keyword }), newHash)
      expect(await stores.links.addKeyword(keyword, link.id, context)).toMatchObject({ outcome: 'taken' })
      expect(await stores.links.addKeyword('sho.rt/free', link.id, context)).toEqual({ outcome: 'done' })
      const over = stores.links.addKeyword('sho.rt/third', link.id, context)
      await expect(over).rejects.toEqual(refusedAs('KEYWORD_OVERRIDES_LIMIT_EXCEEDED'))
    })

    it('leaves nothing half written', async () => {
      limits.custom_back_halves = 0
      const input = draft({ forceNew: true })
      const making = stores.links.create(input, details({ keyword: 'sho.rt/mine', tags: ['a'] }), newHash)
      await expect(making).rejects.toEqual(refusedAs('KEYWORD_OVERRIDES_LIMIT_EXCEEDED'))
      expect(await stores.links.get('sho.rt/mine')).toBeUndefined()
      expect(await used()).toEqual({})
      const { link } = await make()
      limits.redirects = 0
      const moving = stores.links.update(link.id, { longUrl: 'https://example.com/elsewhere' }, context)
      await expect(moving).rejects.toEqual(refusedAs('LIMIT_EXCEEDED_DESTINATION_OVERRIDES'))
      expect((await stores.links.get(link.id))?.longUrl).toBe(link.longUrl)
    })

    it('limits links on branded domains apart', async () => {
      limits.branded_links = 1
      await make({ branded: true, domain: 'go.example' })
      const over = make({ branded: true, domain: 'go.example' })
      await expect(over).rejects.toEqual(refusedAs('BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED'))
      await make()
      expect(await used()).toEqual({ links: 2, branded_links: 1 })
    })

    it('counts what was used before there was a limit, and nobody else’s', async () => {
      for (let each = 0; each < 3; each++) await make()
      for (let each = 0; each < 9; each++) await make({ organizationGuid: 'Oanother' })
      limits.encodes = 4
      await make()
      await expect(make()).rejects.toEqual(refusedAs('MONTHLY_ENCODE_LIMIT_REACHED'))
    })

    it('refuses one caller of a turn without harming the others', async () => {
      limits.encodes = 1
      const tries = [make(), make(), make({ organizationGuid: 'Ounlimited' }), make({ organizationGuid: 'Ounlimited' })]
      expect(await codes(tries)).toEqual({ made: 3, MONTHLY_ENCODE_LIMIT_REACHED: 1 })
    })
  })
}
