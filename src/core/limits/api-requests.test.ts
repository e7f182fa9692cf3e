import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import type { Actor } from '../accounts/actor.js'
import type { UsageStore } from '../usage/usage-store.js'
import { ApiRequests } from './api-requests.js'
import { unlimited } from './plan.js'

describe('API requests of an organization', () => {
  const lastMoment = Date.parse('2026-03-31T23:59:59.999Z')
  let now: number
  let limit: number | undefined
  let records: Records
  let failures: unknown[]
  beforeEach(async () => {
    now = Date.parse('2026-03-18T12:00:00Z')
    limit = 10
    failures = []
    records = await temporaryRecords()
  })
  afterEach(() => records.close())

  function open(usage: Pick<UsageStore, 'add' | 'perDay'> = records.usage): ApiRequests {
    const plans = {
      of: () => unlimited,
      limitsOf: () => (limit === undefined ? undefined : { api_requests: limit }),
    }
    return new ApiRequests({ usage, plans, clock: { now: () => now }, onFailure: (error) => failures.push(error) })
  }
  const ada: Actor = {
    login: 'ada',
    defaultGroupGuid: 'B1',
    clientId: undefined,
    groups: [{ groupGuid: 'B1', organizationGuid: 'O1', role: 'member' }],
    organizations: [{ organizationGuid: 'O1', role: 'member' }],
  }
  async function admitted(count: number, ...by: readonly ApiRequests[]): Promise<number> {
    const tries = Array.from({ length: count }, async (_, index) => by[index % by.length]?.count(ada))
    const answers = await Promise.allSettled(tries)
    return answers.filter(({ status }) => status === 'fulfilled').length
  }
  async function written(): Promise<number> {
    const span = { from: 0, to: Number.MAX_SAFE_INTEGER }
    const days = await records.usage.perDay({ organizationGuid: 'O1' }, ['api_requests'], span)
    return days.reduce((sum, { count }) => sum + count, 0)
  }

  it('are exact for racing callers, while counts are written', async () => {
    limit = 100
    const requests = open()
    const rounds: number[] = []
    for (let each = 0; each < 5; each++) {
      const [count] = await Promise.all([admitted(30, requests), requests.write()])
      rounds.push(count)
    }
    expect(rounds).toEqual([30, 30, 30, 10, 0])
    await requests.close()
    expect(await written()).toBe(100)
  })

  it('begin again with the month', async () => {
    const requests = open()
    now = lastMoment
    expect(await admitted(15, requests)).toBe(10)
    now += 1
    expect(await admitted(15, requests)).toBe(10)
    await requests.close()
    const days = await records.usage.perDay({ groupGuid: 'B1' }, ['api_requests'], { from: 0, to: now + 1 })
    expect(days.map(({ count }) => count)).toEqual([10, 10])
  })

  it('are remembered by a service that starts again', async () => {
    const before = open()
    expect(await admitted(7, before)).toBe(7)
    await before.close()
    const after = open()
    expect(await admitted(7, after)).toBe(3)
    await after.close()
  })

  it('are counted while nothing is limited, and count once something is', async () => {
    limit = undefined
    const requests = open()
    expect(await admitted(8, requests)).toBe(8)
    limit = 10
    expect(await admitted(8, requests)).toBe(2)
    limit = 12
    expect(await admitted(8, requests)).toBe(2)
    await requests.close()
  })

  it('of other processes are known some seconds later', async () => {
    const [one, other] = [open(), open()]
    expect(await admitted(4, one)).toBe(4)
    await one.write()
    expect(await admitted(4, other)).toBe(4)
    await other.write()
    now += 2001
    expect(await admitted(8, one, other)).toBeLessThanOrEqual(4)
    await one.close()
    await other.close()
  })

  it('are not lost when the store is away for a while', async () => {
    let away = false
    const usage: Pick<UsageStore, 'add' | 'perDay'> = {
      add: async (uses) => (away ? Promise.reject(new Error('away')) : records.usage.add(uses)),
      perDay: (...asked) => records.usage.perDay(...asked),
    }
    const requests = open(usage)
    expect(await admitted(3, requests)).toBe(3)
    away = true
    await expect(requests.write()).rejects.toThrow('away')
    expect(await admitted(3, requests)).toBe(3)
    away = false
    expect(await admitted(9, requests)).toBe(4)
    await requests.close()
    expect(await written()).toBe(10)
  })

  it('of somebody without a group are counted for nobody', async () => {
    const requests = open()
    expect(requests.count({ ...ada, groups: [] })).toBeUndefined()
    await requests.close()
    expect(await written()).toBe(0)
  })
})
