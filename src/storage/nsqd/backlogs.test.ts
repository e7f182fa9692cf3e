import { beforeEach, describe, expect, it } from 'vitest'
import type { DaemonStats } from '../../core/stream/stream.js'
import { Backlogs } from './backlogs.js'
import { topicOf } from './cluster.js'

describe('unread messages of topics', () => {
  let now: number
  let daemons: readonly DaemonStats[]
  let changes: unknown[][]
  beforeEach(() => {
    now = 1_700_000_000_000
    changes = []
  })

  const aDaemon = (depth: number, channels: readonly number[] = [], health = 'OK'): DaemonStats => ({
    address: 'nsqd.example:4151',
    health,
    topics: topicOf({ topic_name: 'clicks', depth, channels: channels.map((each) => ({ depth: each })) }),
  })
  const most = (count: number) =>
    new Backlogs(count, {
      stats: async () => ({ daemons }),
      clock: { now: () => now },
      onChange: (...change) => changes.push(change),
    })
  const seen = async (backlogs: Backlogs, ...answer: readonly DaemonStats[]) => {
    daemons = answer
    now += 10_000
    await backlogs.look()
    return backlogs.takes('clicks', 5)
  }

  it('are counted over all daemons: in no channel, or in the one that is furthest behind', async () => {
    const backlogs = most(100)
    expect(await seen(backlogs, aDaemon(50), aDaemon(49))).toBe(true)
    expect(await seen(backlogs, aDaemon(50), aDaemon(50))).toBe(false)
    expect(await seen(backlogs, aDaemon(0, [10, 60]), aDaemon(0, [39, 0]))).toBe(true)
    expect(await seen(backlogs, aDaemon(0, [10, 60]), aDaemon(0, [40, 0]))).toBe(false)
    expect(backlogs.takes('links', 1)).toBe(true)
  })

  it('stop a topic and let it go on, and each is told once with what was left out', async () => {
    const backlogs = most(100)
    for (let look = 0; look < 3; look++) expect(await seen(backlogs, aDaemon(100))).toBe(false)
    expect(await seen(backlogs, aDaemon(0, [99]))).toBe(true)
    expect(changes).toEqual([
      ['clicks', true, 0],
      ['clicks', false, 15],
    ])
  })

  it('are what they were while a daemon does not answer, and any number when that is allowed', async () => {
    const backlogs = most(100)
    await seen(backlogs, aDaemon(100))
    expect(await seen(backlogs, aDaemon(0), aDaemon(0, [], 'ECONNREFUSED'))).toBe(false)
    expect(await seen(backlogs)).toBe(false)
    expect(await seen(most(0), aDaemon(1_000_000_000))).toBe(true)
  })
})
