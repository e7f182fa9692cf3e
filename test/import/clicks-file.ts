import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstStart } from '../../src/core/administration/first-start.js'
import type { MetricsQuery } from '../../src/core/clicks/metrics-query.js'
import { randomHash } from '../../src/core/values/random.js'
import { systemClock } from '../../src/core/values/time.js'
import { openDuckdbClickLog } from '../../src/storage/duckdb/click-log.js'
import type { Records } from '../../src/storage/records/records.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { processToken } from '../support/start-process.js'

/** A data directory of a service with links and one keyword; returns their addresses. */
export async function prepareLinks(dataDir: string, count: number): Promise<readonly string[]> {
  return fillLinks(await openSqlite(join(dataDir, 'records.sqlite')), count)
}

/** The same in empty records, which are closed afterwards. */
export async function fillLinks(records: Records, count: number): Promise<readonly string[]> {
  await records.migrate()
  const deps = { ...records, clock: systemClock }
  const first = await firstStart(deps, { login: 'admin', password: 'correct horse', token: processToken })
  const owner = { groupGuid: first?.groupGuid ?? '', organizationGuid: 'O1', createdBy: 'admin', clientId: undefined }
  const made = await Promise.all(
    Array.from({ length: count - 1 }, (_, index) => {
      const draft = { ...owner, domain: 'sho.rt', longUrl: `https://example.com/${index}`, at: 1 }
      return records.links.findOrInsert(draft, randomHash)
    }),
  )
  await records.links.addKeyword('sho.rt/Word', made[0]?.link.id ?? '', { login: 'admin', at: 2 })
  await records.close()
  return [...made.map(({ link }) => link.id), 'sho.rt/Word']
}

export interface Expected {
  /** Human clicks and scans, by address, kind and country. */
  readonly counts: Readonly<Record<string, number>>
  readonly total: number
  /** Line numbers. */
  readonly rejected: readonly number[]
}

const kinds = ['click', 'click', 'scan', 'button']
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const countries = ['DE', 'FR', 'US', 'BR', 'JP']

/** Every hundredth line is invalid, in one of several ways; one in ten is by a bot; some are blank. */
export function writeClicks(file: string, addresses: readonly string[], lines: number): Expected {
  const counts: Record<string, number> = {}
  const rejected: number[] = []
  const texts: string[] = []
  for (let line = 1; line <= lines; line++) {
    const address = addresses[(line * 7919) % addresses.length] ?? ''
    const kind = kinds[line % kinds.length] ?? ''
    const country = countries[line % countries.length] ?? ''
    const at = new Date(Date.parse('2026-01-01T00:00:00Z') + line * 61_000).toISOString()
    const good = { link: address, at, kind, country, city: `City ${line % 50}`, ip: `203.0.113.${line % 250}` }
    if (line % 100 === 0) {
      rejected.push(line)
      texts.push(badLine(line / 100, good))
    } else if (line % 501 === 0) texts.push('')
    else {
      const robot = line % 10 === 1
      texts.push(
        JSON.stringify({
          ...good,
          user_agent: robot ? 'Googlebot/2.1' : browser,
          referrer: `https://s${line % 9}.example/`,
        }),
      )
      const key = `${address} ${kind} ${country}`
      if (!robot) counts[key] = (counts[key] ?? 0) + 1
    }
  }
  // Without a final line feed, as some programs write files.
  writeFileSync(file, texts.join('\n'))
  return { counts, total: sum(counts), rejected }
}

function badLine(number: number, good: Readonly<Record<string, unknown>>): string {
  const bad = [
    '{ "link": ',
    JSON.stringify({ ...good, link: 'sho.rt/unknown' }),
    JSON.stringify({ ...good, at: 'yesterday' }),
    JSON.stringify({ ...good, kind: 'visit' }),
    JSON.stringify({ ...good, link: 'nonsense' }),
  ]
  return bad[number % bad.length] ?? ''
}

/** The content of the click log, in the format of `Expected`. */
export async function countedClicks(dataDir: string, addresses: readonly string[]): Promise<Record<string, number>> {
  const log = await openDuckdbClickLog(join(dataDir, 'clicks.duckdb'))
  try {
    const rows = await log.count(byAddress(addresses))
    return Object.fromEntries(rows.map(({ values, count }) => [values.join(' '), count]))
  } finally {
    await log.close()
  }
}

export function byAddress(addresses: readonly string[]): MetricsQuery {
  return {
    scope: { addresses },
    kinds: ['click', 'scan', 'button'],
    trafficClasses: ['human'],
    from: undefined,
    to: Number.MAX_SAFE_INTEGER,
    by: ['address', 'kind', 'country'],
    bucket: undefined,
    size: undefined,
    measure: 'events',
  }
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
