import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/sql/records.js'
import { sharedCursor } from '../../worker/stream-links.js'
import type { Batch } from './batches.js'
import { LinkFollower, type LinkFollowerDeps } from './link-follower.js'
import { NamesInUse } from './names-in-use.js'
import { Subscriptions } from './subscriptions.js'

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
  await records.accounts.bootstrap({
    organization: { guid: 'O1', name: '' },
    group: { guid: 'B1', name: '' },
    user: { login: 'ada', passwordHash: '' },
    token: { guid: 'T1', secretHash: '', hint: '', label: '' },
    at: now,
  })
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
  const subscriptions = new Subscriptions(records)
  const cursor = sharedCursor(records.streamStore, `process ${processes++}`, clock)
  const { streamStore } = records
  const follower = new LinkFollower({
    streamStore,
    subscriptions,
    names: new NamesInUse(records),
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
    async look(times = 1) {
      for (let time = 0; time < times; time++) {
        await subscriptions.refresh()
        now += await follower.look()
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
    const { told, look } = aProcess()
    await look()
    const first = await make()
    await look()
    const [second, third] = [await make(), await make()]
    await look(200)
    expect(told).toEqual([first, second, third])
  })

  it('tells the organization of its links also when who may read is read again at that moment', async () => {
    await allow()
    const { streamStore } = records
    const { told, look, subscriptions } = aProcess({
      streamStore: {
        ...streamStore,
        async describeLinks(ids) {
          await subscriptions.refresh()
          return streamStore.describeLinks(ids)
        },
      },
    })
    await look()
    const link = await make()
    await look(200)
    expect(told).toEqual([link])
  })

  it('tells of a link that was written long after it got its time', async () => {
    await allow()
    const { told, look } = aProcess()
    now += minute
    const one = await make()
    await look(5)
    expect(told).toEqual([one])
    const late = await make(30_000)
    await look(2)
    expect(told).toEqual([one])
    await look((2 * minute) / 500)
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
    const { told, look } = aProcess({ streamStore: openSince(() => began) })
    await look(10)
    began = now
    const others: string[] = []
    for (let round = 0; round < 8; round++) {
      others.push(await make())
      await look(60)
    }
    // Written now, four minutes after it got its time.
    const late = await make(now - began)
    await look(2)
    began = undefined
    expect(told).toEqual(others)
    await look(180)
    expect(told).toEqual([...others, late])
  })

  it('tells of a link whose change was tried again', async () => {
    await allow()
    let began: number | undefined
    const { told, look } = aProcess({ streamStore: openSince(() => began) })
    await look(10)
    const first = now
    began = first
    await look(300)
    began = undefined
    await look(1)
    began = now
    await look(40)
    const late = await make(now - first)
    began = undefined
    await look(180)
    expect(told).toEqual([late])
  })

  it('tells of a link that was under way while the machine slept', async () => {
    await allow()
    const { told, look } = aProcess()
    await look(200)
    const hours = 8 * 60 * minute
    now += hours
    await look()
    const late = await make(hours)
    await look(180)
    expect(told).toEqual([late])
  })

  it('says so when it no longer waits for a change, and only while that is open', async () => {
    await allow()
    let began: number | undefined
    const { follower, look } = aProcess({ streamStore: openSince(() => began) })
    await look()
    began = now
    await look((9 * minute) / 500)
    expect(follower.tooLongOpen).toBeUndefined()
    await look((2 * minute) / 500)
    expect(follower.tooLongOpen).toBeGreaterThan(10 * minute)
    began = undefined
    await look()
    expect(follower.tooLongOpen).toBeUndefined()
  })

  it('does not make anybody wait for ordinary disorder', async () => {
    await allow()
    const { told, look } = aProcess()
    now += minute
    const one = await make()
    await look()
    const other = await make(700)
    await look()
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
    const { told, look } = aProcess({ streamStore })
    await make()
    await look(10)
    expect(reads).toBe(0)
    await allow()
    const first = await make()
    await look()
    expect(told).toEqual([first])
    await records.streamStore.denyReader({ kind: 'organization', subject: 'O1' })
    await look()
    const before = reads
    await make()
    await look(10)
    now += 1
    await allow()
    const second = await make()
    await look()
    expect(told).toEqual([first, second])
    expect(reads).toBeGreaterThan(before)
  })

  it('tells again after a crash, and leaves out nothing', async () => {
    await allow()
    const ids: string[] = []
    const all = new Set<string>()
    for (let crash = 0; crash < 4; crash++) {
      const { told, look } = aProcess()
      for (let round = 0; round < 40; round++) {
        ids.push(await make())
        await look()
      }
      ids.push(await make())
      for (const id of told) all.add(id)
      // Long enough that the next one takes over.
      now += minute
    }
    const last = aProcess()
    await last.look()
    expect(ids.filter((id) => !all.has(id) && !last.told.includes(id))).toEqual([])
    // No more than what could still have been overtaken.
    expect(last.told.length).toBeLessThan(ids.length)
  })

  it('tells of what could not be published as soon as it can', async () => {
    await allow()
    let failing = true
    const { told, take, look } = aProcess({
      send: async (batches) => {
        if (failing) throw new Error('nobody there')
        await take(batches)
      },
    })
    const id = await make()
    for (const _again of [1, 2]) await expect(look()).rejects.toThrow('nobody there')
    failing = false
    await look(200)
    expect(told).toEqual([id])
  })

  it('goes through a long backlog a page at a time', async () => {
    await allow()
    const { look } = aProcess()
    await look()
    const ids = await Promise.all(Array.from({ length: 2345 }, () => make()))
    now += 60 * minute
    const after = aProcess()
    await after.look()
    expect(new Set(after.told)).toEqual(new Set(ids))
    expect(after.told).toHaveLength(ids.length)
  })

  it('tells an organization of nothing that it made before it was allowed', async () => {
    const { told, subscriptions, look } = aProcess()
    subscriptions.watch(new Set(['links.O2']))
    await look()
    await make()
    await look()
    await allow()
    const id = await make()
    await look(200)
    expect(told).toEqual([id])
  })

  it('is done by one of several processes, and by another when that one is gone', async () => {
    await allow()
    const [one, other] = [aProcess(), aProcess()]
    await one.look()
    await other.look()
    const first = await make()
    await one.look()
    await other.look()
    expect([one.told, other.told]).toEqual([[first], []])
    await one.leave()
    const second = await make()
    await other.look()
    expect(other.told).toContain(second)
    now += minute
    const third = await make()
    await one.look()
    expect(one.told).toContain(third)
  })

  it('is not disturbed by a clock that is set back', async () => {
    await allow()
    const { told, look } = aProcess()
    now += 10 * minute
    await look(3)
    now -= 5 * minute
    const id = await make()
    await look(3)
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
    const { told, look } = aProcess({ cursor })
    await look()
    expect(told).toEqual(kept === undefined ? [before, since] : [since])
  })
}
