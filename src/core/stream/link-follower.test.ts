import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import { sharedCursor } from '../../runtime/threads/stream-links.js'
import type { Records } from '../../storage/records/records.js'
import { bootstrap } from '../accounts/stores.builder.js'
import { LinkFollower, type LinkFollowerDeps, maxTransactionWait, Watermark } from './link-follower.js'
import type { Batch } from './messages.js'
import { CurrentDomainNames, Subscriptions } from './subscriptions.js'

const minute = 60_000
let records: Records
let now: number
const clock = { now: () => now }
let made: number
let processes = 0
beforeEach(async () => {
  records = await temporaryRecords()
  now = 1_700_000_000_000
  made = 0
  await bootstrap(records.accounts, { login: 'ada', at: now })
})
afterEach(() => records.close())

const allow = () => records.streamStore.allowReader({ kind: 'organization', subject: 'O1' }, 'operator', now)

/** A link that got its time so many milliseconds before it is written. */
async function make(before = 0): Promise<string> {
  const hash = `hash${String(made++).padStart(5, '0')}`
  const draft = { groupGuid: 'B1', organizationGuid: 'O1', domain: 'sho.rt', createdBy: 'ada', clientId: undefined }
  const longUrl = `https://example.com/${hash}`
  const { link } = await records.links.findOrInsert({ ...draft, longUrl, at: now - before }, () => hash)
  return link.id
}

/** A follower as one process has it; `told` are the links in the topic, in the order in which they came. */
function aProcess(deps: Partial<LinkFollowerDeps> = {}) {
  const told: string[] = []
  const take = async (batches: readonly Batch[]) => {
    for (const [topic, messages] of batches) {
      if (topic === 'links.O1') told.push(...messages.map((message) => JSON.parse(String(message)).link))
    }
  }
  const subscriptions = new Subscriptions({ ...records })
  const cursor = sharedCursor(records.streamStore, `process ${processes++}`, clock)
  const { streamStore } = records
  const follower = new LinkFollower({
    streamStore,
    subscriptions,
    names: new CurrentDomainNames(records),
    cursor,
    send: take,
    clock,
    ...deps,
  })
  return {
    follower,
    told,
    take,
    subscriptions,
    async poll(times = 1) {
      for (let time = 0; time < times; time++) {
        await subscriptions.refresh()
        now += await follower.poll()
      }
    },
    leave: () => follower.leave(),
  }
}

describe('following links', () => {
  it('tells of each link once, in the order in which they were made, and of none before somebody was allowed', async () => {
    await make()
    now += 1
    await allow()
    const { told, poll } = aProcess()
    await poll()
    const first = await make()
    await poll()
    const [second, third] = [await make(), await make()]
    await poll(200)
    expect(told).toEqual([first, second, third])
  })

  it('tells the organization of its links also when who may read is read again at that moment', async () => {
    await allow()
    const { streamStore } = records
    const { told, poll, subscriptions } = aProcess({
      streamStore: {
        ...streamStore,
        async describeLinks(ids) {
          await subscriptions.refresh()
          return streamStore.describeLinks(ids)
        },
      },
    })
    await poll()
    const link = await make()
    await poll(200)
    expect(told).toEqual([link])
  })

  it('tells of a link that was written long after it got its time', async () => {
    await allow()
    const { told, poll } = aProcess()
    now += minute
    const one = await make()
    await poll(5)
    expect(told).toEqual([one])
    const late = await make(30_000)
    await poll(2)
    expect(told).toEqual([one])
    await poll((2 * minute) / 500)
    expect(told).toEqual([one, late])
  })

  /** What a store says of a change that was begun at one moment and is not over. */
  const openSince = (moment: () => number | undefined) => ({
    ...records.streamStore,
    openFor: async () => now - (moment() ?? now),
  })

  it('tells of a link whose change was open for minutes, however many others were made meanwhile', async () => {
    await allow()
    let began: number | undefined
    const { told, poll } = aProcess({ streamStore: openSince(() => began) })
    await poll(10)
    began = now
    const others: string[] = []
    for (let round = 0; round < 8; round++) {
      others.push(await make())
      await poll(60)
    }
    // Written now, four minutes after it got its time.
    const late = await make(now - began)
    await poll(2)
    began = undefined
    expect(told).toEqual(others)
    await poll(180)
    expect(told).toEqual([...others, late])
  })

  it('tells of a link whose change was tried again', async () => {
    await allow()
    let began: number | undefined
    const { told, poll } = aProcess({ streamStore: openSince(() => began) })
    await poll(10)
    const first = now
    began = first
    await poll(300)
    began = undefined
    await poll(1)
    began = now
    await poll(40)
    const late = await make(now - first)
    began = undefined
    await poll(180)
    expect(told).toEqual([late])
  })

  it('tells of a link that was under way while the machine slept', async () => {
    await allow()
    const { told, poll } = aProcess()
    await poll(200)
    const hours = 8 * 60 * minute
    now += hours
    await poll()
    const late = await make(hours)
    await poll(180)
    expect(told).toEqual([late])
  })

  it('says so when it no longer waits for a change, and only while that is open', async () => {
    await allow()
    let began: number | undefined
    const { follower, poll } = aProcess({ streamStore: openSince(() => began) })
    await poll()
    began = now
    await poll((9 * minute) / 500)
    expect(follower.tooLongOpen).toBeUndefined()
    await poll((2 * minute) / 500)
    expect(follower.tooLongOpen).toBeGreaterThan(10 * minute)
    began = undefined
    await poll()
    expect(follower.tooLongOpen).toBeUndefined()
  })

  it('does not make anybody wait for ordinary disorder', async () => {
    await allow()
    const { told, poll } = aProcess()
    now += minute
    const one = await make()
    await poll()
    const other = await make(700)
    await poll()
    expect(told).toEqual([one, other])
  })

  it('reads nothing while nobody may read', async () => {
    let reads = 0
    const streamStore: typeof records.streamStore = {
      ...records.streamStore,
      newLinks: (...input) => {
        reads++
        return records.streamStore.newLinks(...input)
      },
    }
    const { told, poll } = aProcess({ streamStore })
    await make()
    await poll(10)
    expect(reads).toBe(0)
    await allow()
    const first = await make()
    await poll()
    expect(told).toEqual([first])
    await records.streamStore.denyReader({ kind: 'organization', subject: 'O1' })
    await poll()
    const before = reads
    await make()
    await poll(10)
    now += 1
    await allow()
    const second = await make()
    await poll()
    expect(told).toEqual([first, second])
    expect(reads).toBeGreaterThan(before)
  })

  it('tells again after a crash, and leaves out nothing', async () => {
    await allow()
    const ids: string[] = []
    const all = new Set<string>()
    for (let crash = 0; crash < 4; crash++) {
      const { told, poll } = aProcess()
      for (let round = 0; round < 40; round++) {
        ids.push(await make())
        await poll()
      }
      ids.push(await make())
      for (const id of told) all.add(id)
      // Long enough that the next one takes over.
      now += minute
    }
    const last = aProcess()
    await last.poll()
    expect(ids.filter((id) => !all.has(id) && !last.told.includes(id))).toEqual([])
    // No more than what could still have been overtaken.
    expect(last.told.length).toBeLessThan(ids.length)
  })

  it('tells of what could not be published as soon as it can', async () => {
    await allow()
    let failing = true
    const { told, take, poll } = aProcess({
      send: async (batches) => {
        if (failing) throw new Error('nobody there')
        await take(batches)
      },
    })
    const id = await make()
    for (const _again of [1, 2]) await expect(poll()).rejects.toThrow('nobody there')
    failing = false
    await poll(200)
    expect(told).toEqual([id])
  })

  it('goes through a long backlog a page at a time', async () => {
    await allow()
    const { poll } = aProcess()
    await poll()
    const ids = await Promise.all(Array.from({ length: 2345 }, () => make()))
    now += 60 * minute
    const after = aProcess()
    await after.poll()
    expect(new Set(after.told)).toEqual(new Set(ids))
    expect(after.told).toHaveLength(ids.length)
  })

  it('tells an organization of nothing that it made before it was allowed', async () => {
    const { told, subscriptions, poll } = aProcess()
    subscriptions.watch(new Set(['links.O2']))
    await poll()
    await make()
    await poll()
    await allow()
    const id = await make()
    await poll(200)
    expect(told).toEqual([id])
  })

  it('is done by one of several processes, and by another when that one is gone', async () => {
    await allow()
    const [one, other] = [aProcess(), aProcess()]
    await one.poll()
    await other.poll()
    const first = await make()
    await one.poll()
    await other.poll()
    expect([one.told, other.told]).toEqual([[first], []])
    await one.leave()
    const second = await make()
    await other.poll()
    expect(other.told).toContain(second)
    now += minute
    const third = await make()
    await one.poll()
    expect(one.told).toContain(third)
  })

  it('is not disturbed by a clock that is set back', async () => {
    await allow()
    const { told, poll } = aProcess()
    now += 10 * minute
    await poll(3)
    now -= 5 * minute
    const id = await make()
    await poll(3)
    expect(told).toEqual([id])
  })
})

for (const [title, kept] of [
  ['from where somebody was allowed, when nobody knows how far it was', undefined],
  ['from where it was', 5 * minute],
] as const) {
  it(`begins ${title}`, async () => {
    await allow()
    const start = now
    const before = await make()
    now += 10 * minute
    const since = await make()
    const cursor = {
      take: async (from: number) => (kept === undefined ? from : start + kept),
      move: async () => true,
      leave: async () => {},
    }
    const { told, poll } = aProcess({ cursor })
    await poll()
    expect(told).toEqual(kept === undefined ? [before, since] : [since])
  })
}

const start = 1_700_000_000_000
const second = 1_000

/** Looks twice a second from one moment to another, and answers what the last look did. */
function lookUntil(watermark: Watermark, from: number, to: number, openSince?: number): number {
  let settled = Number.NaN
  for (let now = from; now <= to; now += 500)
    settled = watermark.update(now, openSince === undefined ? 0 : now - openSince)
  return settled
}

describe('settling', () => {
  it('is a minute behind when nothing is open, from the first look on', () => {
    const watermark = new Watermark(start)
    expect(watermark.update(start, 0)).toBe(start - minute)
    const settled = lookUntil(watermark, start + 500, start + 10 * minute)
    expect(start + 10 * minute - settled).toBeLessThanOrEqual(minute)
    expect(start + 10 * minute - settled).toBeGreaterThan(minute - second)
  })

  it('waits for a change for as long as it is open, and half a minute more, for it may be tried again', () => {
    const watermark = new Watermark(start)
    const began = start + 2 * minute
    lookUntil(watermark, start, began)
    expect(lookUntil(watermark, began, began + 5 * minute, began)).toBeLessThanOrEqual(began - 30 * second)
    const ended = began + 5 * minute + 500
    expect(lookUntil(watermark, ended, ended + 29 * second)).toBeLessThanOrEqual(began - 30 * second)
    expect(lookUntil(watermark, ended + 29 * second, ended + 2 * minute)).toBeGreaterThan(ended)
  })

  it('waits for no change longer than ten minutes', () => {
    const watermark = new Watermark(start)
    const now = start + 60 * minute
    const settled = lookUntil(watermark, start, now, start)
    expect(now - settled).toBeGreaterThanOrEqual(maxTransactionWait)
    expect(now - settled).toBeLessThanOrEqual(maxTransactionWait + minute)
    expect(watermark.update(now + 500, Number.POSITIVE_INFINITY)).toBeGreaterThan(start)
  })

  it('gives what was begun before the clock jumped half a minute of looks', () => {
    const watermark = new Watermark(start)
    lookUntil(watermark, start, start + minute)
    const woken = start + 8 * 60 * minute
    expect(lookUntil(watermark, woken, woken + 29 * second)).toBeLessThan(start + minute)
    expect(lookUntil(watermark, woken + 29 * second, woken + 2 * minute)).toBeGreaterThan(woken)
  })
})
