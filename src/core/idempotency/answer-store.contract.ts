import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { bootstrap, storesOfEachTest } from '../accounts/stores.builder.js'
import type { UtmTemplateStore } from '../groups/group-record-store.js'
import { noDetails } from '../links/link.js'
import { aLinkDraft } from '../links/link-draft.builder.js'
import type { LinkStore } from '../links/link-store.js'
import { randomHash } from '../values/random.js'
import type { AnswerStore, KeyedRequest } from './answer-store.js'

type Stores = {
  readonly answers: AnswerStore
  readonly links: LinkStore
  readonly utmTemplates: UtmTemplateStore
  readonly accounts: AccountStore
  readonly afterCommit: <Result>(work: () => Result) => Result | undefined
} & Closable

/** What an `AnswerStore` promises. `open` gives an empty store. */
export function answerStoreContract(open: () => Promise<Stores>, defaultDomain: string): void {
  describe('AnswerStore', () => {
    const stores = storesOfEachTest(open)

    const shorten = (longUrl: string) =>
      stores.links.findOrInsert(aLinkDraft({ longUrl, domain: defaultDomain }), randomHash)
    const isThere = async (longUrl: string) =>
      (await stores.links.findByLongUrl('Bgroup00001', defaultDomain, longUrl)) !== undefined

    it('keeps an answer with what the work wrote', async () => {
      const kept = await stores.answers.keep(aRequest(), async () => {
        const { link } = await shorten('https://example.com/a')
        return { status: 201, body: link.longUrl }
      })
      const answer = { status: 201, body: 'https://example.com/a' }
      expect(kept).toEqual({ fingerprint: 'print', answer, isNew: true })
      expect(await stores.answers.find('one', 0)).toEqual({ fingerprint: 'print', answer })
      expect(await isThere('https://example.com/a')).toBe(true)
    })

    it('keeps an answer of work that writes nothing, with any text', async () => {
      const body = `{"name":"ü '\\" 😀","long":"${'x'.repeat(5000)}"}`
      await stores.answers.keep(aRequest(), async () => ({ status: 200, body }))
      expect((await stores.answers.find('one', 0))?.answer).toEqual({ status: 200, body })
    })

    it('writes nothing if the work fails, however much it wrote', async () => {
      const failing = stores.answers.keep(aRequest(), async () => {
        await shorten('https://example.com/a')
        await shorten('https://example.com/b')
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await stores.answers.find('one', 0)).toBeUndefined()
      expect([await isThere('https://example.com/a'), await isThere('https://example.com/b')]).toEqual([false, false])
      const kept = await stores.answers.keep(aRequest(), async () => ({ status: 200, body: 'second' }))
      expect(kept.isNew).toBe(true)
    })

    it('shows the work what it wrote', async () => {
      let seenBefore: unknown = 'not asked'
      await stores.answers.keep(aRequest(), async () => {
        await shorten('https://example.com/a')
        seenBefore = await isThere('https://example.com/a')
        return { status: 200, body: '' }
      })
      expect(seenBefore).toBe(true)
    })

    it('lets work write through several stores, also at once', async () => {
      await bootstrap(stores.accounts, { organization: 'Omine', group: 'Bmine', login: 'ada', at: 1 })
      await stores.answers.keep(aRequest(), async () => {
        await Promise.all([
          shorten('https://example.com/a'),
          stores.utmTemplates.add(aTemplate('One')),
          shorten('https://example.com/b'),
          stores.utmTemplates.add(aTemplate('Two')),
          isThere('https://example.com/a'),
        ])
        return { status: 200, body: '' }
      })
      expect([await isThere('https://example.com/a'), await isThere('https://example.com/b')]).toEqual([true, true])
      expect((await stores.utmTemplates.list('Bmine')).map(({ name }) => name)).toEqual(['One', 'Two'])
    })

    it('undoes a step that its store undoes, and keeps the others', async () => {
      await shorten('https://example.com/taken')
      const keyword = `${defaultDomain}/mine`
      const create = (longUrl: string) =>
        stores.links.create(aLinkDraft({ longUrl, domain: defaultDomain }), { ...noDetails, keyword }, randomHash)
      const outcomes: string[] = []
      await stores.answers.keep(aRequest(), async () => {
        outcomes.push((await create('https://example.com/first')).outcome)
        outcomes.push((await create('https://example.com/second')).outcome)
        await shorten('https://example.com/third')
        return { status: 200, body: '' }
      })
      expect(outcomes).toEqual(['done', 'taken'])
      expect((await stores.links.get(keyword))?.longUrl).toBe('https://example.com/first')
      expect(await isThere('https://example.com/third')).toBe(true)
      expect(await isThere('https://example.com/second')).toBe(false)
    })

    it('does not take part in what work leaves behind', async () => {
      let later: Promise<unknown> = Promise.resolve()
      let go = () => {}
      const signal = new Promise<void>((resolve) => {
        go = resolve
      })
      await stores.answers.keep(aRequest(), async () => {
        later = signal.then(() => shorten('https://example.com/later'))
        return { status: 200, body: '' }
      })
      go()
      await later
      expect(await isThere('https://example.com/later')).toBe(true)
    })

    it('runs what waits for the commit after it, and not at all without one', async () => {
      const seen: unknown[] = []
      const look = async (longUrl: string) => {
        await shorten(longUrl)
        void stores.afterCommit(async () => seen.push((await stores.answers.find('one', 0)) !== undefined))
      }
      await stores.answers
        .keep(aRequest({ id: 'other' }), () => look('https://example.com/no').then(() => Promise.reject('no')))
        .catch(() => {})
      expect(seen).toEqual([])
      await stores.answers.keep(aRequest(), async () => {
        await look('https://example.com/a')
        expect(seen).toEqual([])
        return { status: 200, body: '' }
      })
      expect(seen).toEqual([true])
      await stores.afterCommit(async () => seen.push('at once'))
      expect(seen).toEqual([true, 'at once'])
    })

    it('runs the work of one of several concurrent callers, and gives all its answer', async () => {
      const draft = aLinkDraft({ longUrl: 'https://example.com/race', domain: defaultDomain })
      const kept = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          stores.answers.keep(aRequest({ fingerprint: `print ${index}` }), async () => {
            await stores.links.findOrInsert({ ...draft, forceNew: true }, () => `race00${index}`)
            return { status: 201, body: String(index) }
          }),
        ),
      )
      expect(kept.filter(({ isNew }) => isNew)).toHaveLength(1)
      expect(new Set(kept.map(({ answer }) => answer?.body)).size).toBe(1)
      expect(new Set(kept.map(({ fingerprint }) => fingerprint)).size).toBe(1)
      const made = await Promise.all(kept.map((_, index) => stores.links.get(`${defaultDomain}/race00${index}`)))
      expect(made.filter(Boolean)).toHaveLength(1)
    })

    it('answers requests with different keys at once', async () => {
      const kept = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          stores.answers.keep(aRequest({ id: `key ${index}` }), async () => {
            const { created } = await shorten(`https://example.com/${index}`)
            return { status: created ? 201 : 200, body: '' }
          }),
        ),
      )
      expect(kept.map(({ answer, isNew }) => [answer?.status, isNew])).toEqual(Array(8).fill([201, true]))
    })

    it('forgets answers from before a time', async () => {
      await stores.answers.keep(aRequest({ at: 1000 }), async () => ({ status: 200, body: 'old' }))
      expect((await stores.answers.find('one', 1000))?.answer?.body).toBe('old')
      expect(await stores.answers.find('one', 1001)).toBeUndefined()
      const again = await stores.answers.keep(aRequest({ at: 2000, since: 1001, fingerprint: 'other' }), async () => ({
        status: 200,
        body: 'new',
      }))
      expect(again.isNew).toBe(true)
      expect(await stores.answers.find('one', 1001)).toEqual({
        fingerprint: 'other',
        answer: { status: 200, body: 'new' },
      })
    })

    it('deletes old answers, a few at once', async () => {
      for (let at = 1; at <= 5; at += 1) {
        await stores.answers.keep(aRequest({ id: `key ${at}`, at }), async () => ({ status: 200, body: '' }))
      }
      expect(await stores.answers.deleteOld(5, 3)).toBe(3)
      expect(await stores.answers.deleteOld(5, 3)).toBe(1)
      expect(await stores.answers.deleteOld(5, 3)).toBe(0)
      expect(await stores.answers.find('key 5', 0)).toBeDefined()
    })
  })
}

function aRequest(changes: Partial<KeyedRequest> = {}): KeyedRequest {
  return { id: 'one', fingerprint: 'print', at: 1000, since: 0, ...changes }
}

function aTemplate(name: string) {
  const fields = { source: 'x', medium: '', campaign: '', term: '', content: '' }
  return { ...fields, guid: `U${name}`, name, groupGuid: 'Bmine', createdBy: 'ada', at: 1, limit: 10 }
}
