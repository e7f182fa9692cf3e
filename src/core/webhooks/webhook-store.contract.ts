import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import type { AccountStore } from '../accounts/account-store.js'
import { bootstrap, mine, openBootstrapped } from '../accounts/stores.builder.js'
import type { DomainStore } from '../domains/domain-store.js'
import type { PlanLimits } from '../limits/plan.js'
import { noDetails } from '../links/link.js'
import type { LinkStore } from '../links/link-store.js'
import type { TagStore } from '../links/tag-store.js'
import type { QueuedEvents } from './queued-events.js'
import type { Attempt, LogLimits, NewWebhook, QueueClaim, WebhookStore } from './webhook-store.js'

type Stores = {
  readonly webhookStore: WebhookStore
  readonly accounts: AccountStore
  readonly domainStore: DomainStore
  readonly links: LinkStore
  readonly tags: TagStore
} & Closable

/** What a `WebhookStore` promises. `open` gives an empty store. */
export function webhookStoreContract(open: (allowances?: Allowances) => Promise<Stores>): void {
  describe('WebhookStore', () => {
    let stores: Stores
    let webhooks: WebhookStore
    beforeEach(async () => {
      stores = await openBootstrapped(open, mine)
      webhooks = stores.webhookStore
    })
    afterEach(() => stores.close())

    const noted = async (guid: string, now = 10): Promise<readonly Noted[]> =>
      (await webhooks.claim(guid, due(now))).flatMap(({ events }) => events as unknown as readonly Noted[])
    const failed = (id: string, at: number, fields: Partial<Attempt> = {}) =>
      anAttempt({ id, at, status: 500, failure: 'status 500', events: [anEvent({ nextTryAt: at + 10 })], ...fields })

    it('keeps a webhook with all its fields and secrets', async () => {
      const oauth = { url: 'https://auth.example/token', clientId: 'me', clientSecret: 'hush' }
      expect(await webhooks.add(aWebhook({ oauth, groupGuid: 'Bmine' }))).toBe('added')
      const { by, at, limit: _, secret, ...fields } = aWebhook({ oauth, groupGuid: 'Bmine' })
      const expected = {
        ...fields,
        secret: { current: secret, previous: undefined },
        createdAt: at,
        modifiedAt: at,
        modifiedBy: by,
        alertedAt: undefined,
        alertDelivery: undefined,
        deactivatedAt: undefined,
        lost: [],
      }
      expect(await webhooks.get('W1')).toEqual(expected)
      expect(await webhooks.list('Omine')).toEqual([expected])
      expect(await webhooks.list('all')).toEqual([expected])
      expect(await webhooks.list('Oother')).toEqual([])
      expect(await webhooks.get('W2')).toBeUndefined()
    })

    it('refuses a webhook of an organization that does not exist', async () => {
      expect(await webhooks.add(aWebhook({ organizationGuid: 'Onone' }))).toBe('no-organization')
    })

    it('keeps the limit when several are added at once', async () => {
      const guids = ['W1', 'W2', 'W3', 'W4']
      const answers = await Promise.all(guids.map((guid) => webhooks.add(aWebhook({ guid, limit: 2 }))))
      expect([...answers].sort()).toEqual(['added', 'added', 'too-many', 'too-many'])
    })

    it('changes what is given, for the state at that moment, and nothing else', async () => {
      await webhooks.add(aWebhook())
      const changed = await webhooks.update(
        'W1',
        ({ secret }) => ({ name: 'new', secret: { current: 's2', previous: { secret: secret.current, until: 99 } } }),
        { login: 'bea', at: 9 },
      )
      expect(changed).toMatchObject({ name: 'new', url: 'https://a.example/hook', modifiedAt: 9, modifiedBy: 'bea' })
      expect(changed?.secret).toEqual({ current: 's2', previous: { secret: 's1', until: 99 } })
      expect(await webhooks.get('W1')).toEqual(changed)
      const worded = await webhooks.update('W1', () => ({ linkWord: 'bitlink' }), { login: 'bea', at: 9 })
      expect(worded?.linkWord).toBe('bitlink')
      expect(await webhooks.update('W1', () => ({ linkWord: undefined }), { login: 'bea', at: 9 })).toMatchObject({
        linkWord: undefined,
      })
      expect(await webhooks.update('W2', () => ({ name: 'x' }), { login: 'bea', at: 9 })).toBeUndefined()
    })

    it('lets no change be lost when several are made at once', async () => {
      await webhooks.add(aWebhook({ batch: 0 }))
      const increase = () => webhooks.update('W1', ({ batch }) => ({ batch: batch + 1 }), { login: 'ada', at: 9 })
      await Promise.all(Array.from({ length: 8 }, increase))
      expect((await webhooks.get('W1'))?.batch).toBe(8)
    })

    it('says what active webhooks want', async () => {
      await webhooks.add(aWebhook())
      await webhooks.add(aWebhook({ guid: 'W2', isActive: false }))
      expect(await webhooks.wanted()).toEqual([
        { guid: 'W1', organizationGuid: 'Omine', events: ['engagement'], since: 2 },
      ])
    })

    it('logs attempts, newest first, page by page, up to a number', async () => {
      await webhooks.add(aWebhook())
      const attempts = ['D1', 'D2', 'D3', 'D4'].map((id, index) => anAttempt({ id, at: 10 + index }))
      await webhooks.record(attempts.slice(0, 2), limits)
      await webhooks.record(attempts.slice(2), { ...limits, entries: 3 })
      const ids = async (page = {}) =>
        (await webhooks.deliveries('W1', { after: undefined, size: 10, ...page })).map(({ id }) => id)
      expect(await ids()).toEqual(['D4', 'D3', 'D2'])
      expect(await ids({ size: 1, after: { at: 13, id: 'D4' } })).toEqual(['D3'])
      expect(await ids({ onlyFailed: true })).toEqual([])
      await webhooks.record([failed('D5', 20)], limits)
      expect(await ids()).toEqual(['D5', 'D4', 'D3', 'D2'])
      expect(await ids({ onlyFailed: true })).toEqual(['D5'])
      expect(await webhooks.delivery('W1', 'D5')).toEqual({
        id: 'D5',
        at: 20,
        status: 500,
        failure: 'status 500',
        answer: 'ok',
        durationMs: 3,
        tries: 1,
        nextTryAt: 30,
        eventIds: ['e1'],
        eventTypes: [],
        payloads: ['{"a":1}'],
      })
      expect(await webhooks.delivery('W2', 'D5')).toBeUndefined()
      const types = ['link.created', 'link.updated', 'link.updated']
      const events = types.map((type, index) =>
        anEvent({ eventId: `e${index}`, payload: JSON.stringify({ event_id: `e${index}`, event_type: type }) }),
      )
      await webhooks.record([anAttempt({ id: 'D6', at: 30, events })], limits)
      expect(await webhooks.delivery('W1', 'D6')).toMatchObject({ eventTypes: ['link.created', 'link.updated'] })
    })

    it('queues events in the order of the time when they are due, those of active webhooks', async () => {
      await webhooks.add(aWebhook())
      await webhooks.add(aWebhook({ guid: 'W2', isActive: false }))
      expect(await webhooks.firstDue()).toBeUndefined()
      await webhooks.enqueue([queued({ dueAt: 20, events: ['{"n":2}', '{"n":3}'] }), queued({ webhookGuid: 'W2' })])
      await webhooks.enqueue([queued({ dueAt: 10, tries: 1, events: ['{"n":1}'] })], { name: 'journal', position: 7 })
      const rows = await webhooks.claim('W1', due(20))
      expect(rows).toMatchObject([
        { tries: 1, done: 0, events: [{ n: 1 }] },
        { tries: 0, done: 0, events: [{ n: 2 }, { n: 3 }] },
      ])
      expect(await webhooks.claim('W1', { ...due(20), except: [rows[0]?.id ?? ''] })).toEqual([rows[1]])
      expect(await webhooks.claim('W1', due(9))).toEqual([])
      expect(await webhooks.claim('W2', due(20))).toEqual([])
      expect(await webhooks.due(['W1', 'W2'], 9)).toEqual([])
      expect(await webhooks.due(['W1', 'W2'], 10)).toEqual(['W1'])
      expect(await webhooks.firstDue()).toBe(10)
      expect(await webhooks.sourcePosition('journal')).toBe(7)
      expect(await webhooks.sourcePosition('another')).toBeUndefined()
    })

    it('has events due that a process with a clock ahead added', async () => {
      await webhooks.add(aWebhook())
      await webhooks.add(aWebhook({ guid: 'W2' }))
      const late = { dueAt: 5000 }
      await webhooks.enqueue([queued({ ...late, events: ['1'] }), queued({ ...late, webhookGuid: 'W2' })])
      await webhooks.enqueue([
        queued({ ...late, tries: 1, events: ['2'] }),
        queued({ dueAt: 20, tries: 1, events: ['3'] }),
      ])
      await webhooks.correctDueTimes(['W1'], 10, 100)
      expect((await webhooks.claim('W1', due(10))).map(({ events: [event] }) => event)).toEqual([1, 2])
      expect(await webhooks.claim('W1', due(20))).toHaveLength(3)
      expect(await webhooks.due(['W1', 'W2'], 4000)).toEqual(['W1'])
    })

    it('keeps the order of events that are due at the same time', async () => {
      await webhooks.add(aWebhook())
      const events = Array.from({ length: 200 }, (_, n) => queued({ events: [JSON.stringify({ n })] }))
      await webhooks.enqueue(events.slice(0, 120))
      for (const event of events.slice(120)) await webhooks.enqueue([event])
      const rows = await webhooks.claim('W1', { ...due(10), size: 500 })
      expect(rows.map(({ events: [event] }) => event?.n)).toEqual(events.map((_, n) => n))
    })

    it('moves on in the queue together with the log', async () => {
      await webhooks.add(aWebhook())
      await webhooks.enqueue([queued({ events: ['1', '2'] }), queued({ events: ['3', '4'] })])
      const [one, two] = await webhooks.claim('W1', due(10))
      const rows = [
        { id: one?.id ?? '', done: 2, isOver: true },
        { id: two?.id ?? '', done: 1, isOver: false },
      ]
      const retries = [queued({ dueAt: 30, tries: 1, events: ['3'] })]
      await webhooks.record([failed('D1', 10)], limits, { rows, retries })
      expect(await webhooks.claim('W1', due(10))).toMatchObject([{ done: 1, events: [3, 4] }])
      expect(await webhooks.claim('W1', due(30))).toMatchObject([{ done: 1 }, { tries: 1, events: [3] }])
      expect(await webhooks.deadLetters('W1', page)).toEqual([])
    })

    it('adds events with the same id once', async () => {
      await webhooks.add(aWebhook())
      await webhooks.enqueue([queued({ id: 'twice', events: ['1'] })])
      await webhooks.enqueue([queued({ id: 'twice', events: ['2'] }), queued({ id: 'once', dueAt: 11, events: ['3'] })])
      expect(await webhooks.claim('W1', due(11))).toMatchObject([{ events: [1] }, { events: [3] }])
    })

    it('drops the queue of a webhook that is turned off, deactivated or removed', async () => {
      const by = { login: 'ada', at: 9 }
      await webhooks.add(aWebhook())
      await webhooks.enqueue([queued()])
      await webhooks.update('W1', () => ({ isActive: false }), by)
      await webhooks.update('W1', () => ({ isActive: true }), by)
      expect(await webhooks.claim('W1', due(10))).toEqual([])
      await webhooks.enqueue([queued()])
      const progress = { rows: [], retries: [queued()] }
      await webhooks.record([failed('D1', 10, { isGone: true })], limits, progress)
      await webhooks.record([failed('D2', 10)], limits, progress)
      expect(await webhooks.claim('W1', due(10))).toEqual([])
      await webhooks.update('W1', () => ({ isActive: true }), by)
      await webhooks.enqueue([queued()])
      await webhooks.remove('W1')
      expect(await webhooks.due(['W1'], 10)).toEqual([])
    })

    it('keeps events that are not tried again as dead letters, up to a number', async () => {
      await webhooks.add(aWebhook())
      const dead = (id: string, at: number, eventId: string) =>
        failed(id, at, { events: [anEvent({ eventId, tries: 5, nextTryAt: undefined })] })
      await webhooks.record([dead('D1', 10, 'e1'), dead('D2', 20, 'e2'), dead('D3', 30, 'e3')], limits)
      const ids = async () => (await webhooks.deadLetters('W1', page)).map(({ eventId }) => eventId)
      expect(await ids()).toEqual(['e3', 'e2', 'e1'])
      await webhooks.record([dead('D4', 40, 'e4')], { ...limits, deadLetters: 3 })
      expect(await ids()).toEqual(['e4', 'e3', 'e2'])
      const [letter] = await webhooks.deadLetters('W1', page)
      expect(letter).toMatchObject({ at: 40, tries: 5, status: 500, failure: 'status 500', payload: '{"a":1}' })
    })

    it('deletes old attempts and failed events of all webhooks, also of inactive ones, a few at once', async () => {
      await webhooks.add(aWebhook())
      await webhooks.add(aWebhook({ guid: 'W2' }))
      const event = (eventId: string, nextTryAt?: number) => ({ events: [anEvent({ eventId, tries: 2, nextTryAt })] })
      const other = { webhookGuid: 'W2' }
      await webhooks.record(
        [
          failed('D1', 10, event('e1')),
          failed('D2', 20, event('e2', 30)),
          failed('D3', 50, event('e3')),
          failed('D4', 10, { ...other, ...event('e4') }),
          anAttempt({ id: 'D5', at: 50, ...other, ...event('e5') }),
        ],
        limits,
      )
      await webhooks.enqueue([queued({ dueAt: 20 }), queued({ dueAt: 50 })])
      await webhooks.update('W2', () => ({ isActive: false }), { login: 'ada', at: 9 })
      await webhooks.redeliver('W2', { since: 0 })
      const kept = async (guid: string) => ({
        log: (await webhooks.deliveries(guid, page)).map(({ id }) => id),
        dead: (await webhooks.deadLetters(guid, page)).map(({ eventId }) => eventId),
        marked: (await webhooks.marked([guid], 10)).map(({ eventId }) => eventId),
      })
      expect(await webhooks.deleteOld(50, 2)).toBe(2)
      const rest: number[] = []
      while (rest.at(-1) !== 0) rest.push(await webhooks.deleteOld(50, 2))
      expect(rest.reduce((sum, count) => sum + count)).toBe(4)
      expect(Math.max(...rest)).toBe(2)
      expect(await kept('W1')).toEqual({ log: ['D3'], dead: ['e3'], marked: [] })
      expect(await kept('W2')).toEqual({ log: ['D5'], dead: [], marked: [] })
      expect(await webhooks.claim('W1', due(50))).toHaveLength(1)
    })

    it('lets several processes delete old attempts at once', async () => {
      await webhooks.add(aWebhook())
      const attempts = Array.from({ length: 40 }, (_, index) =>
        failed(`D${index}`, index, { events: [anEvent({ eventId: `e${index}` })] }),
      )
      await webhooks.record(attempts, limits)
      const deleted = await Promise.all(Array.from({ length: 4 }, () => webhooks.deleteOld(40, 100)))
      expect(deleted.reduce((sum, count) => sum + count)).toBe(80)
      expect(await webhooks.deleteOld(40, 100)).toBe(0)
    })

    it('marks dead letters and deliveries to be sent once more, until an attempt is recorded', async () => {
      await webhooks.add(aWebhook())
      const dead = (id: string, at: number, eventId: string) =>
        failed(id, at, { events: [anEvent({ eventId, tries: 5, nextTryAt: undefined })] })
      await webhooks.record([dead('D1', 10, 'e1'), dead('D2', 20, 'e2')], limits)
      await webhooks.record([anAttempt({ id: 'D3', at: 30, events: [anEvent({ eventId: 'e3' })] })], limits)
      const refuse = () => {
        throw new Error('no')
      }
      for (const which of [{ since: 10 }, { delivery: 'D3', at: 40 }])
        await expect(webhooks.redeliver('W1', which, refuse)).rejects.toThrow('no')
      expect(await webhooks.marked(['W1'], 10)).toEqual([])
      expect(await webhooks.redeliver('W1', { since: 20 })).toBe(1)
      expect(await webhooks.redeliver('W1', { delivery: 'D3', at: 40 })).toBe(1)
      expect(await webhooks.redeliver('W1', { delivery: 'D9', at: 40 })).toBe(0)
      const marked = async () => (await webhooks.marked(['W1'], 10)).map(({ eventId }) => eventId)
      expect(await marked()).toEqual(['e2', 'e3'])
      expect(await webhooks.marked([], 10)).toEqual([])
      const again = (id: string, eventId: string) => anAttempt({ id, at: 50, events: [anEvent({ eventId, tries: 6 })] })
      await webhooks.record([again('D4', 'e3'), dead('D5', 50, 'e2')], limits)
      expect(await marked()).toEqual([])
      expect((await webhooks.deadLetters('W1', page)).map(({ eventId }) => eventId)).toEqual(['e2', 'e1'])
    })

    it('is in alert after repeated failures, and recovers with a success; each is told once', async () => {
      await webhooks.add(aWebhook())
      expect(await webhooks.record([failed('D1', 10)], limits)).toEqual([])
      expect(await webhooks.failing()).toBe(0)
      const racing = await Promise.all(
        [failed('D2', 20), failed('D3', 20)].map((one) => webhooks.record([one], limits)),
      )
      expect(racing.flat().map(({ change }) => change)).toEqual(['alerted'])
      expect(await webhooks.get('W1')).toMatchObject({ alertedAt: 20, alertDelivery: undefined })
      expect(await webhooks.failing()).toBe(1)
      await webhooks.setAlertDelivery('W1', 'not_sent')
      expect((await webhooks.get('W1'))?.alertDelivery).toBe('not_sent')
      const [recovered] = await webhooks.record([anAttempt({ id: 'D4', at: 30 })], limits)
      expect(recovered).toMatchObject({ change: 'recovered', webhook: { guid: 'W1', alertedAt: undefined } })
      expect(await webhooks.failing()).toBe(0)
      await webhooks.setAlertDelivery('W1', 'sent')
      expect((await webhooks.get('W1'))?.alertDelivery).toBeUndefined()
      expect(await webhooks.record([anAttempt({ id: 'D5', at: 40 })], limits)).toEqual([])
    })

    it('is deactivated after a long alert, at once when the receiver is gone, and activated by a change', async () => {
      await webhooks.add(aWebhook())
      await webhooks.record([failed('D1', 10), failed('D2', 20)], limits)
      const [off] = await webhooks.record([failed('D3', 90)], { ...limits, deactivateBefore: 20 })
      expect(off).toMatchObject({ change: 'deactivated', webhook: { isActive: false, deactivatedAt: 90 } })
      await webhooks.setAlertDelivery('W1', 'sent')
      expect((await webhooks.get('W1'))?.alertDelivery).toBe('sent')
      expect(await webhooks.record([failed('D4', 95)], { ...limits, deactivateBefore: 20 })).toEqual([])
      const on = await webhooks.update('W1', () => ({ isActive: true }), { login: 'ada', at: 100 })
      expect(on).toMatchObject({
        isActive: true,
        deactivatedAt: undefined,
        alertedAt: undefined,
        alertDelivery: undefined,
      })
      const [gone] = await webhooks.record([failed('D5', 110, { isGone: true })], limits)
      expect(gone?.change).toBe('deactivated')
    })

    it('queues events of changes for the webhooks that want them, with the change', async () => {
      const { domainStore } = stores
      const domain = { name: 'a.example', organizationGuid: 'Omine', groupGuids: [], createdBy: 'ada', at: 5 }
      await domainStore.add({ ...domain, rootUrl: undefined, notFoundUrl: undefined })
      await webhooks.add(aWebhook({ events: ['engagement', 'domain.status_changed'] }))
      await webhooks.add(aWebhook({ guid: 'W2', events: ['domain.status_changed'] }))
      await webhooks.add(aWebhook({ guid: 'W3', events: ['engagement'] }))
      await domainStore.remove('Omine', 'a.example', 6)
      for (const guid of ['W1', 'W2']) {
        expect(await noted(guid)).toMatchObject([
          {
            event_id: expect.stringMatching(/^event\/./),
            type: 'domain.status_changed',
            at: 6,
            details: { domain: 'a.example', status: 'removed' },
          },
        ])
      }
      expect(await noted('W3')).toEqual([])
    })

    it('has no event of a change that was not made', async () => {
      await webhooks.add(aWebhook({ events: ['domain.status_changed'] }))
      expect(await stores.domainStore.remove('Omine', 'none.example', 6)).toBe(false)
      expect(await noted('W1')).toEqual([])
    })

    it('has an event for each link whose tag is renamed or deleted', async () => {
      await webhooks.add(aWebhook({ events: ['link.updated'] }))
      const draft = { groupGuid: 'Bmine', organizationGuid: 'Omine', createdBy: 'ada', clientId: undefined }
      for (let at = 1; at <= 30; at += 1) {
        const tags = at % 2 === 0 ? ['even', 'all'] : ['all']
        const longUrl = `https://example.com/${at}`
        await stores.links.create({ ...draft, domain: 'sho.rt', longUrl, at }, { ...noDetails, tags }, () => `n${at}`)
      }
      const told = async () => {
        const rows = await webhooks.claim('W1', due(10))
        const over = rows.map(({ id, events }) => ({ id, done: events.length, isOver: true }))
        await webhooks.record([], limits, { rows: over, retries: [] })
        return rows.flatMap(({ events }) => events as unknown as readonly Noted[]).map(({ details }) => details.tags)
      }
      await stores.tags.update('Bmine', 'all', { color: 'red' }, { login: 'ada', at: 5 })
      expect(await told()).toEqual([])
      await stores.tags.update('Bmine', 'even', { name: 'second' }, { login: 'ada', at: 5 })
      expect(await told()).toEqual(Array.from({ length: 15 }, () => ['second', 'all']))
      await stores.tags.remove('Bmine', 'all', { login: 'ada', at: 6 })
      expect(await told()).toHaveLength(30)
    })

    it('has an event for each link that a keyword changes, and none when nothing changed', async () => {
      await webhooks.add(aWebhook({ events: ['link.updated'] }))
      const draft = { groupGuid: 'Bmine', organizationGuid: 'Omine', createdBy: 'ada', clientId: undefined, at: 1 }
      const links: string[] = []
      for (const hash of ['one', 'two']) {
        const longUrl = `https://example.com/${hash}`
        links.push((await stores.links.findOrInsert({ ...draft, domain: 'sho.rt', longUrl }, () => hash)).link.id)
      }
      const [one = '', two = ''] = links
      const keyword = 'sho.rt/words'
      const context = { login: 'ada', at: 5 }
      const told = async () => {
        const rows = await webhooks.claim('W1', due(10))
        const over = rows.map(({ id }) => ({ id, done: 1, isOver: true }))
        await webhooks.record([], limits, { rows: over, retries: [] })
        const events = rows.flatMap(({ events }) => events) as unknown as readonly Noted[]
        return new Map(events.map(({ details }) => [details.shortlink, details.custom_shortlinks]))
      }
      await stores.links.addKeyword(keyword, one, context)
      expect(await told()).toEqual(new Map([[one, [keyword]]]))
      await stores.links.addKeyword(keyword, one, context)
      await stores.links.addKeyword(keyword, two, context)
      await stores.links.addKeyword('sho.rt/nothing', 'sho.rt/missing', context)
      expect(await told()).toEqual(new Map())
      await stores.links.moveKeyword(keyword, two, context)
      expect(await told()).toEqual(
        new Map([
          [one, []],
          [two, [keyword]],
        ]),
      )
      await stores.links.moveKeyword(keyword, two, context)
      expect(await told()).toEqual(new Map())
    })

    it('has one event for each link that expires between two times, however often it looks', async () => {
      await webhooks.add(aWebhook({ events: ['link.expired'] }))
      const draft = { groupGuid: 'Bmine', organizationGuid: 'Omine', createdBy: 'ada', clientId: undefined, at: 1 }
      const details = { keyword: undefined, title: undefined, tags: [], deeplinks: [], routing: [] }
      let hash = 0
      for (const expiresAt of [100, 200, 300]) {
        const link = { ...draft, domain: 'sho.rt', longUrl: `https://example.com/${expiresAt}` }
        await stores.links.create(link, { ...details, expiresAt }, () => `hash${hash++}`)
      }
      expect(await webhooks.noteExpired(100)).toBe(0)
      expect((await Promise.all([1, 2, 3].map(() => webhooks.noteExpired(200)))).sort()).toEqual([0, 0, 1])
      expect(await webhooks.noteExpired(150)).toBe(0)
      const events = await noted('W1', 1000)
      expect(events.map(({ at, details }) => [at, details.long_url])).toEqual([[200, 'https://example.com/200']])
      await webhooks.add(aWebhook({ guid: 'W2', events: ['link.expired'], at: 300 }))
      expect(await webhooks.noteExpired(400)).toBe(1)
      expect(await noted('W2', 1000)).toEqual([])
    })

    it('has an event when a limit of the plan is used by 80 % and by 100 %, once each', async () => {
      await stores.close()
      stores = await open({ limitsOf: () => ({ encodes: 5 }) })
      await bootstrap(stores.accounts, mine)
      await stores.webhookStore.add(aWebhook({ events: ['limit.reached'] }))
      const draft = { groupGuid: 'Bmine', organizationGuid: 'Omine', createdBy: 'ada', clientId: undefined, at: 1 }
      const create = (index: number) =>
        stores.links.findOrInsert(
          { ...draft, domain: 'sho.rt', longUrl: `https://a.example/${index}` },
          () => `h${index}`,
        )
      for (const index of [1, 2, 3, 4, 5]) await create(index)
      await expect(create(6)).rejects.toThrow('limit')
      webhooks = stores.webhookStore
      const events = await noted('W1')
      const shares = events.map(({ details }) => [details.percent, details.used])
      expect(shares.sort()).toEqual([
        [100, 5],
        [80, 4],
      ])
      expect(events[0]?.details).toMatchObject({ limit: 'encodes', maximum: 5 })
    })

    it('removes a webhook with all that belongs to it', async () => {
      await webhooks.add(aWebhook())
      await webhooks.record([failed('D1', 10)], limits)
      expect(await webhooks.remove('W1')).toBe(true)
      expect(await webhooks.remove('W1')).toBe(false)
      await webhooks.record([failed('D2', 10)], limits)
      expect(await webhooks.deliveries('W1', page)).toEqual([])
    })
  })
}

/** What it promises when the key of its secrets was lost. `open` gives the same store with a key, empty at first. */
export function lostKeyContract(open: (secretsKey: string | undefined) => Promise<Stores>): void {
  describe('WebhookStore without the former key', () => {
    let stores: Stores
    let webhooks: WebhookStore
    const use = async (secretsKey: string | undefined) => {
      await stores?.close()
      stores = await open(secretsKey)
      webhooks = stores.webhookStore
    }
    const oauth = { url: 'https://auth.example/token', clientId: 'me', clientSecret: 'hush' }
    beforeEach(async () => {
      await use('a'.repeat(32))
      await bootstrap(stores.accounts, mine)
      await webhooks.add(aWebhook({ oauth }))
    })
    afterEach(() => stores.close())

    const lost = {
      name: 'one',
      url: '',
      oauth: { url: '', clientId: 'me', clientSecret: '' },
      secret: { current: '', previous: undefined },
      lost: ['url', 'oauth', 'secret'],
    }

    it.each([['another key', 'b'.repeat(32)] as const, ['no key', undefined] as const])(
      'has webhooks without what %s cannot decrypt',
      async (_, key) => {
        await use(key)
        expect(await webhooks.list('all')).toMatchObject([lost])
        expect(await webhooks.get('W1')).toMatchObject(lost)
        expect(await webhooks.wanted()).toHaveLength(1)
        await webhooks.add(aWebhook({ guid: 'W2' }))
        expect((await webhooks.get('W2'))?.lost).toEqual([])
      },
    )

    it('keeps what is not changed for the former key, and has again what is', async () => {
      const by = { login: 'ada', at: 9 }
      await use('b'.repeat(32))
      expect(await webhooks.update('W1', () => ({ name: 'new' }), by)).toMatchObject({ ...lost, name: 'new' })
      const secret = { current: 's2', previous: undefined }
      expect(await webhooks.update('W1', () => ({ secret }), by)).toMatchObject({ secret, lost: ['url', 'oauth'] })
      const changed = await webhooks.update('W1', () => ({ url: 'https://b.example/', oauth: undefined }), by)
      expect(changed).toMatchObject({ url: 'https://b.example/', oauth: undefined, lost: [] })
    })

    it('leaves out a former signing secret', async () => {
      await webhooks.update('W1', () => ({ secret: { current: 's2', previous: { secret: 's1', until: 99 } } }), {
        login: 'ada',
        at: 9,
      })
      await use('b'.repeat(32))
      expect((await webhooks.get('W1'))?.secret).toEqual({ current: '', previous: undefined })
    })

    it('logs attempts and removes it', async () => {
      await use('b'.repeat(32))
      const attempts = ['D1', 'D2'].map((id) => anAttempt({ id, failure: 'status 500' }))
      expect(await webhooks.record(attempts, limits)).toMatchObject([{ change: 'alerted', webhook: lost }])
      expect(await webhooks.remove('W1')).toBe(true)
    })
  })
}

/** Of several processes, each with its own connection to one database, which is empty. */
export function queueClaimsContract(connect: () => Promise<Stores>): void {
  describe('queues of webhooks', () => {
    let processes: { readonly holder: string; readonly webhooks: WebhookStore }[]
    const opened: Stores[] = []
    beforeEach(async () => {
      opened.push(...(await Promise.all([1, 2, 3, 4].map(connect))))
      const [first] = opened
      if (first) await bootstrap(first.accounts, mine)
      processes = opened.map(({ webhookStore }, index) => ({ holder: `process ${index}`, webhooks: webhookStore }))
      for (const guid of ['W1', 'W2']) await processes[0]?.webhooks.add(aWebhook({ guid }))
    })
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close()
    })

    const claimAll = (webhookGuid: string, now: number) =>
      Promise.all(processes.map(({ webhooks, holder }) => webhooks.claim(webhookGuid, due(now, holder))))
    const winners = (answers: readonly (readonly unknown[])[]) =>
      answers.flatMap((rows, index) => (rows.length > 0 ? [processes[index]] : []))

    it('gives the queue of a webhook to one of several claimers, until it is released or old', async () => {
      const events = ['W1', 'W2'].map((webhookGuid) => queued({ webhookGuid }))
      await processes[0]?.webhooks.enqueue(events)
      const [one, two] = await Promise.all([claimAll('W1', 10), claimAll('W2', 10)])
      expect([winners(one), winners(two)]).toEqual([[expect.anything()], [expect.anything()]])
      // It has them still, also when others ask; after its release, or when it was not renewed, another one has them.
      const [first] = winners(one)
      expect(winners(await claimAll('W1', 110))).toEqual([first])
      expect(winners(await claimAll('W1', 210))).toEqual([first])
      if (first) await first.webhooks.release(first.holder)
      const others = processes.filter((each) => each !== first)
      const later = await Promise.all(others.map(({ webhooks, holder }) => webhooks.claim('W1', due(210, holder))))
      expect(later.filter((rows) => rows.length > 0)).toHaveLength(1)
      expect(winners(await claimAll('W1', 311))).toHaveLength(1)
    })

    it('gives it to another one as well when the clock of a dead claimer was ahead', async () => {
      const [one, other] = processes
      await one?.webhooks.enqueue([queued()])
      expect(await one?.webhooks.claim('W1', due(5000, one.holder))).toHaveLength(1)
      expect(await other?.webhooks.claim('W1', due(10, other.holder))).toEqual([])
      expect(await other?.webhooks.claim('W1', due(110, other.holder))).toEqual([])
      expect(await other?.webhooks.claim('W1', due(111, other.holder))).toHaveLength(1)
    })

    it('has every event sent once and in order while claimers race', async () => {
      const numbers = Array.from({ length: 60 }, (_, n) => n)
      await processes[0]?.webhooks.enqueue(numbers.map((n) => queued({ dueAt: n, events: [`{"n":${n}}`] })))
      const sent: unknown[] = []
      const run = async ({ webhooks, holder }: (typeof processes)[number]) => {
        while ((await webhooks.due(['W1'], 100)).length > 0) {
          const rows = await webhooks.claim('W1', { ...due(100, holder), size: 3 })
          sent.push(...rows.map(({ events: [event] }) => event?.n))
          const over = rows.map(({ id }) => ({ id, done: 1, isOver: true }))
          await webhooks.record([], limits, { rows: over, retries: [] })
          await webhooks.release(holder)
        }
      }
      await Promise.all(processes.map(run))
      expect(sent).toEqual(numbers)
    })
  })
}

/** Monthly limits of organizations, as stores get them. */
interface Allowances {
  limitsOf(organizationGuid: string): PlanLimits | undefined
}

/** An event as the queue has it. */
interface Noted {
  readonly at: number
  readonly details: Readonly<Record<string, unknown>>
}

const page = { after: undefined, size: 10 }

const due = (now: number, holder = 'one'): QueueClaim => ({
  holder,
  now,
  renewBefore: now,
  staleBefore: now - 100,
  size: 10,
  except: [],
})

function queued(fields: Partial<QueuedEvents> = {}): QueuedEvents {
  return { webhookGuid: 'W1', dueAt: 10, tries: 0, events: ['{}'], ...fields }
}

const limits: LogLimits = { entries: 1000, deadLetters: 100, alertAfter: 2, deactivateBefore: 0 }

const aWebhook = sampleOf<NewWebhook>({
  guid: 'W1',
  organizationGuid: 'Omine',
  groupGuid: undefined,
  name: 'one',
  events: ['engagement'],
  url: 'https://a.example/hook',
  isActive: true,
  fetchTags: false,
  linkWord: undefined,
  batch: 1,
  oauth: undefined,
  secret: 's1',
  by: 'ada',
  at: 2,
  limit: 10,
})

function anEvent(fields: Partial<Attempt['events'][number]> = {}): Attempt['events'][number] {
  return { eventId: 'e1', tries: 1, nextTryAt: undefined, payload: '{"a":1}', ...fields }
}

const anAttempt = sampleOf<Attempt>({
  id: 'D1',
  webhookGuid: 'W1',
  at: 10,
  durationMs: 3,
  status: 200,
  failure: undefined,
  answer: 'ok',
  events: [anEvent()],
  isGone: false,
})
