import { expect } from 'vitest'
import type { StartedApp } from '../support/start-app.js'

export const agents = {
  desktop: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  phone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  tablet:
    'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  robot: 'Googlebot/2.1 (+http://www.google.com/bot.html)',
}

/** IPs of visitors; the service must trust one proxy. */
const homes = { london: '81.2.69.142', mountainView: '8.8.8.8', nowhere: '10.0.0.1' }

export interface Visit {
  readonly agent?: keyof typeof agents
  readonly from?: keyof typeof homes
  readonly referrer?: string
  /** A scanned code. */
  readonly scan?: boolean
  readonly method?: 'GET' | 'HEAD'
}

/** A visit: by default a person in London on a desktop computer. */
export async function visit(started: StartedApp, address: string, input: Visit = {}): Promise<void> {
  const { agent = 'desktop', from = 'london', referrer, scan = false, method = 'GET' } = input
  const [host = '', backHalf] = address.split('/')
  const headers = {
    host,
    'user-agent': agents[agent],
    'x-forwarded-for': homes[from],
    ...(referrer !== undefined && { referer: referrer }),
  }
  const answer = await started.request(method, `/${backHalf}${scan ? '?r=qr' : ''}`, { token: null, headers })
  expect(answer.status).toBe(301)
}

/** Invalid arguments for every metric, each with its name. */
export const badWindows: readonly (readonly [query: string, field: string])[] = [
  ['unit=year', 'unit'],
  ['unit=day&unit=week', 'unit'],
  ['units=0', 'units'],
  ['units=-2', 'units'],
  ['units=50001', 'units'],
  ['units=two', 'units'],
  ['unit_reference=now', 'unit_reference'],
  ['unit_reference=2026-02-30T00:00:00%2B0000', 'unit_reference'],
  ['zone=Nowhere/City', 'zone'],
  ['zone=%2B02:00', 'zone'],
  ['traffic=robots', 'traffic'],
  ['measure=people', 'measure'],
]

/** The same for metrics with ranked rows. */
export const badSizes: readonly (readonly [query: string, field: string])[] = [
  ['size=0', 'size'],
  ['size=-1', 'size'],
  ['size=188888', 'size'],
  ['size=1001', 'size'],
  ['size=1.5', 'size'],
  ['size=ten', 'size'],
  ['size=1&size=2', 'size'],
]

/** A path such as `filter.query` is in `errors`; the message names the argument. */
export function refusedArgument(field: string, resource: string): object {
  return {
    message: `INVALID_ARG_${field.split('.')[0]?.toUpperCase()}`,
    resource,
    description: expect.any(String),
    errors: [{ field, error_code: 'invalid' }],
  }
}

/** The last three units before 14:36 on a Wednesday, and what happened in each at the times of the tests that use them. */
export const threeOfEachUnit: readonly [unit: string, starts: readonly string[], counts: readonly number[]][] = [
  ['minute', ['2026-03-18T14:35:00+0000', '2026-03-18T14:34:00+0000', '2026-03-18T14:33:00+0000'], [1, 1, 0]],
  ['hour', ['2026-03-18T14:00:00+0000', '2026-03-18T13:00:00+0000', '2026-03-18T12:00:00+0000'], [2, 0, 0]],
  ['day', ['2026-03-18T00:00:00+0000', '2026-03-17T00:00:00+0000', '2026-03-16T00:00:00+0000'], [2, 0, 0]],
  ['week', ['2026-03-16T00:00:00+0000', '2026-03-09T00:00:00+0000', '2026-03-02T00:00:00+0000'], [2, 1, 0]],
  ['month', ['2026-03-01T00:00:00+0000', '2026-02-01T00:00:00+0000', '2026-01-01T00:00:00+0000'], [3, 0, 1]],
]
