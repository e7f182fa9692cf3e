import { describe, expect, it } from 'vitest'
import { Feed } from './feed.js'

describe('Feed', () => {
  it('has one event for each click, with an id that grows', () => {
    const feed = new Feed()
    feed.add('{"a":1}', 0)
    feed.add('{"a":2}', 10)
    const [first, second] = eventsIn(feed.take(20))
    expect([first?.event, first?.data, second?.event, second?.data]).toEqual(['click', '{"a":1}', 'click', '{"a":2}'])
    expect(second?.id).toBe(first?.id?.replace(/-1$/, '-2'))
    expect(feed.take(30)).toBe('')
  })

  it('counts the clicks beyond twenty a second, and tells them when the second is over', () => {
    const feed = new Feed()
    for (let click = 0; click < 120; click++) feed.add('{}', 5)
    expect(eventsIn(feed.take(6))).toHaveLength(20)
    expect(feed.isEmpty).toBe(false)
    expect(feed.take(1004)).toBe('')
    const [count, ...more] = eventsIn(feed.take(1005))
    expect([count?.event, count?.data, more]).toEqual(['clicks', '{"count":100}', []])
    expect(count?.id).toMatch(/-120$/)
    expect(feed.isEmpty).toBe(true)
  })

  it('tells the count of a second before the clicks of the next', () => {
    const feed = new Feed()
    for (let click = 0; click < 21; click++) feed.add('{}', 0)
    feed.add('{"next":1}', 1000)
    expect(kindsIn(feed.take(1001)).slice(-2)).toEqual(['clicks', 'click'])
  })

  it('begins where a reader without an id comes', () => {
    const feed = new Feed()
    feed.add('{}', 0)
    const [ready] = eventsIn(feed.begin(undefined))
    expect([ready?.event, ready?.data]).toEqual(['ready', '{"resumed":false}'])
    expect(ready?.id).toMatch(/-1$/)
  })

  it('resumes after an id: the last clicks one by one, the others counted', () => {
    const feed = new Feed()
    const id = idOf(feed)
    for (let click = 1; click <= 40; click++) feed.add(`{"n":${click}}`, click * 1000)
    feed.takeAll()
    const events = eventsIn(feed.begin(id))
    expect(events.map(({ event }) => event)).toEqual(['ready', ...Array(16).fill('click'), 'clicks'])
    expect(events.at(-1)?.data).toBe('{"count":24}')
    expect(events.at(-2)?.data).toBe('{"n":40}')
    expect(kindsIn(feed.begin(events.at(-1)?.id))).toEqual(['ready'])
    expect(kindsIn(feed.begin(events.at(-3)?.id))).toEqual(['ready', 'click'])
  })

  it('resumes within a second whose clicks are counted', () => {
    const feed = new Feed()
    const id = idOf(feed)
    for (let click = 0; click < 30; click++) feed.add('{}', 0)
    expect(totalIn(feed.takeAll())).toBe(30)
    expect(totalIn(feed.begin(id))).toBe(30)
    feed.add('{}', 1)
    expect(totalIn(feed.take(2))).toBe(1)
  })

  it.each(['', 'nonsense', 'ffffffffffff-1', '-1', 'a-99999999999999999'])('does not resume after "%s"', (id) => {
    expect(eventsIn(new Feed().begin(id))[0]?.data).toBe('{"resumed":false}')
  })

  it('does not resume after an id that is still to come', () => {
    const feed = new Feed()
    expect(eventsIn(feed.begin(idOf(feed).replace(/0$/, '1')))[0]?.data).toBe('{"resumed":false}')
  })

  it('says that something was missed after an id that it does not know, and not to a new reader', () => {
    const feed = new Feed()
    expect(kindsIn(feed.begin('ffffffffffff-1'))).toEqual(['ready', 'missed'])
    expect(kindsIn(feed.begin(undefined))).toEqual(['ready'])
    expect(kindsIn(feed.begin(''))).toEqual(['ready'])
  })

  it('tells a gap to all readers, and to those who resume from before it', () => {
    const feed = new Feed()
    const before = idOf(feed)
    for (let click = 0; click < 25; click++) feed.add('{}', 0)
    feed.addGap()
    const told = kindsIn(feed.take(1))
    expect(told.slice(-2)).toEqual(['clicks', 'missed'])
    feed.add('{}', 2000)
    const [after] = eventsIn(feed.take(2001))
    expect(kindsIn(feed.begin(before)).at(-1)).toBe('missed')
    expect(kindsIn(feed.begin(after?.id))).toEqual(['ready'])
  })
})

function idOf(feed: Feed): string {
  return eventsIn(feed.begin(undefined))[0]?.id ?? ''
}

interface ParsedEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

function eventsIn(text: string): readonly ParsedEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2))))
}

function kindsIn(text: string): (string | undefined)[] {
  return eventsIn(text).map(({ event }) => event)
}

function totalIn(text: string): number {
  return eventsIn(text).reduce((sum, { event, data }) => {
    if (event === 'click') return sum + 1
    return event === 'clicks' ? sum + JSON.parse(data ?? '').count : sum
  }, 0)
}
