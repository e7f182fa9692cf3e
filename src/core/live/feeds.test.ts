import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClick } from '../clicks/click-log.contract.js'
import { Feeds } from './feeds.js'
import type { FeedUpdate, LiveSubject, SharedClicks } from './live-subject.js'

const group: LiveSubject = { organizationGuid: 'O1', kind: 'group', id: 'B1' }
const click = aClick({ at: 0, address: 'sho.rt/abc', linkId: 'sho.rt/abc', groupGuid: 'B1' })

describe('the feeds of a process', () => {
  let feeds: Feeds
  let sent: FeedUpdate[]
  let shared: SharedClicks[]
  beforeEach(() => {
    vi.useFakeTimers()
    sent = []
    shared = []
    feeds = new Feeds({
      send: (updates) => sent.push(...updates),
      share: (clicks) => shared.push(...clicks),
      begin: () => 7,
      clock: { now: () => Date.now() },
    })
  })
  afterEach(() => {
    feeds.close()
    vi.useRealTimers()
  })
  const text = () => sent.map(([, events]) => events).join('')

  it('begin after the clicks that are counted, and tell those of people to the group and the link', async () => {
    expect(await feeds.cursor('journal')).toBe(7)
    feeds.join(group, undefined)
    feeds.join({ ...group, kind: 'link', id: 'sho.rt/abc' }, undefined)
    await feeds.append([
      click,
      { ...click, trafficClass: 'bot' },
      { ...click, kind: 'view' },
      { ...click, groupGuid: 'B2', linkId: 'sho.rt/other' },
    ])
    vi.advanceTimersByTime(200)
    expect(sent.map(([key]) => key)).toEqual(['group B1', 'link sho.rt/abc'])
    expect(text().match(/event: click\n/g)).toHaveLength(2)
  })

  it('share clicks with readers of other processes, twenty a second and the rest as a count', async () => {
    feeds.shareWith(['group B1'])
    await feeds.append(Array.from({ length: 25 }, () => click))
    vi.advanceTimersByTime(200)
    expect(sent).toEqual([])
    expect(shared).toMatchObject([{ key: 'group B1', counted: 5 }])
    expect(shared[0]?.clicks).toHaveLength(20)
    feeds.shareWith([])
    await feeds.append([click])
    vi.advanceTimersByTime(200)
    expect(shared).toHaveLength(1)
  })

  it('tell what other processes shared, once to each reader', () => {
    feeds.join(group, undefined)
    feeds.addShared({ key: 'group B1', clicks: ['{"n":1}'], counted: 5 })
    feeds.addShared({ key: 'group B2', clicks: ['{"n":2}'], counted: 0 })
    vi.advanceTimersByTime(1_200)
    expect(text()).toContain('data: {"n":1}')
    expect(text()).toContain('data: {"count":5}')
    expect(text()).not.toContain('{"n":2}')
  })

  it('resume for five minutes after the last reader has left', () => {
    const [, id] = /id: (\S+)/.exec(feeds.join(group, undefined)) ?? []
    feeds.leave(group)
    feeds.addShared({ key: 'group B1', clicks: ['{"n":1}'], counted: 0 })
    expect(feeds.join(group, id)).toContain('{"resumed":true}')
    feeds.leave(group)
    vi.advanceTimersByTime(6 * 60_000)
    expect(feeds.join(group, id)).toContain('{"resumed":false}')
  })
})
