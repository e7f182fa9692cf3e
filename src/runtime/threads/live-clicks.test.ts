import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresEngine, type TestDatabase } from '../../../test/support/sql-engines.js'
import { aClick } from '../../core/clicks/click-log.contract.js'
import { Feeds } from '../../core/live/feeds.js'
import type { LiveSubject } from '../../core/live/live-subject.js'
import { systemClock } from '../../core/values/time.js'
import { openPostgres } from '../../storage/records/postgres.js'
import type { LiveListener, LiveMethods } from './click-thread.js'
import { LiveClicks } from './live-clicks.js'

const group: LiveSubject = { organizationGuid: 'O1', kind: 'group', id: 'B1' }
const click = aClick({ at: 0, address: 's/a', linkId: 's/a', groupGuid: 'B1' })

const engine = postgresEngine()
describe.skipIf(engine.skip)(`live updates of processes that share a database, ${engine.title}`, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await engine.create()
  })
  afterAll(() => database.remove())

  /** What a process has of live updates, with feeds that run in the same thread. */
  async function aProcess() {
    const records = await openPostgres(database.location)
    let listener: LiveListener | undefined
    const feeds: Feeds = new Feeds({
      send: (updates) => listener?.liveEvents(updates),
      share: (clicks) => listener?.shareClicks(clicks),
      begin: () => 0,
      clock: systemClock,
    })
    const methods: Pick<LiveMethods, 'leaveLive' | 'shareLive' | 'addSharedClicks' | 'addLiveGap'> = {
      leaveLive: (subject) => feeds.leave(subject),
      shareLive: (keys) => feeds.shareWith(keys),
      addSharedClicks: (clicks) => feeds.addShared(clicks),
      addLiveGap: () => feeds.addGap(),
    }
    const shared = vi.spyOn(methods, 'shareLive')
    const live = new LiveClicks({
      pipeline: {
        joinLive: async (subject, lastEventId) => feeds.join(subject, lastEventId),
        tellLive: (name, ...args) => (methods[name] as (...args: unknown[]) => void)(...args),
        onLive: (given) => {
          listener = given
        },
      },
      domainStore: { listBuiltIn: async () => [] },
      notices: records.notices,
      clock: systemClock,
      log: pino({ level: 'silent' }),
    })
    let told = ''
    live.connect({
      receive: (updates) => {
        told += updates.map(([, events]) => events).join('')
      },
      endAll: () => {},
    })
    const close = async () => {
      live.close()
      feeds.close()
      await records.close()
    }
    return { live, feeds, told: () => told, follows: () => shared.mock.lastCall?.[0] ?? [], close }
  }

  it('tell readers the clicks of the others, long ones as a count', { timeout: 120_000 }, async () => {
    const [reading, visited] = [await aProcess(), await aProcess()]
    await vi.waitFor(
      async () => {
        await reading.live.join(group, undefined)
        expect(visited.follows()).toEqual(['group B1'])
      },
      { timeout: 60_000, interval: 500 },
    )
    const from = (referrer: string) => ({ ...click, referrer: { ...click.referrer, referrer } })
    await visited.feeds.append([
      ...Array.from({ length: 9 }, (_, n) => from(`https://r.example/${n}`)),
      from(`https://r.example/${'"'.repeat(4_000)}`),
    ])
    await vi.waitFor(() => expect(reading.told()).toContain('{"count":1}'), { timeout: 60_000 })
    expect(reading.told().match(/event: click\n/g)).toHaveLength(9)
    expect(visited.told()).toBe('')
    await reading.close()
    await visited.close()
  })
})
