import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'
import { isFinal, type Observed, violations } from './check.js'
import { Cluster, type Programs } from './cluster.js'
import type { Fault } from './schedule.js'
import { limitedPlan, referrerOf, Traffic } from './traffic.js'

export interface Outcome {
  readonly violations: readonly string[]
  readonly figures: string
}

/** One run on servers of its own: the faults of the schedule under traffic, then what is wrong when all is well again. */
export async function runSchedule(programs: Programs, schedule: readonly Fault[]): Promise<Outcome> {
  const plans = (folder: string) => {
    const file = join(folder, 'plans.json')
    writeFileSync(file, JSON.stringify({ unlimited: { displayName: 'Unlimited' }, limited: limitedPlan }))
    return ['--plans', file]
  }
  const cluster = await Cluster.start(programs, plans)
  let traffic: Traffic | undefined
  try {
    traffic = await Traffic.start(cluster)
    traffic.begin()
    const begun = performance.now()
    const faults: Promise<void>[] = []
    for (const fault of schedule) {
      await wait(fault.after)
      faults.push(cluster.apply(fault))
    }
    await Promise.all(faults)
    await wait(3000)
    await traffic.end()
    const seconds = Math.round((performance.now() - begun) / 1000)
    const observed = await observe(cluster, traffic)
    return { violations: [...cluster.problems, ...violations(observed)], figures: figuresOf(observed, seconds) }
  } finally {
    await traffic?.close()
    await cluster.stop()
  }
}

/** Waits until everything was delivered, or for two minutes. */
async function observe(cluster: Cluster, traffic: Traffic): Promise<Observed> {
  await cluster.settled()
  const { visits, creations, edits, limited } = traffic
  const answered = visits.flatMap(({ answered: at }, number) => (at === undefined ? [] : [number]))
  const deadline = Date.now() + 120_000
  const has = (told: ReadonlySet<number>) => answered.every((number) => told.has(number))
  while (!(has(numbersOf(traffic.streamed)) && has(numbersOf(traffic.delivered))) && Date.now() < deadline)
    await wait(500)
  return {
    ...{ visits, creations, edits, limited },
    counted: await countedVisits(cluster),
    streamed: numbersOf(traffic.streamed),
    delivered: numbersOf(traffic.delivered),
    ...(await storedLinks(cluster)),
    finals: await traffic.finalLocations((link, location) => isFinal({ creations, edits }, link, location)),
  }
}

/** Others have no number: those of the end, of the checks of the health. */
function numbersOf(referrers: Iterable<string>): ReadonlySet<number> {
  const prefix = referrerOf(0).slice(0, -1)
  return new Set(
    [...referrers].filter((each) => each.startsWith(prefix)).map((each) => Number(each.slice(prefix.length))),
  )
}

async function countedVisits({ clickhouseUrl }: Cluster): Promise<ReadonlyMap<number, number>> {
  const session = httpSession(clickhouseUrl)
  const rows = await session.query(`SELECT referrer, sum(n) FROM \`${session.database}\`.clicks GROUP BY referrer`)
  await session.close()
  const counts = new Map(rows.map(([referrer, count]) => [String(referrer), Number(count)]))
  return new Map([...numbersOf(counts.keys())].map((number) => [number, counts.get(referrerOf(number)) ?? 0]))
}

async function storedLinks({ databaseUrl }: Cluster): Promise<Pick<Observed, 'stored' | 'limitedStored'>> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ long_url: string; n: string }>(
    'select long_url, count(*) as n from links group by long_url',
  )
  await client.end()
  const stored = new Map(rows.map(({ long_url, n }) => [long_url, Number(n)]))
  const limited = [...stored].filter(([longUrl]) => longUrl.startsWith('https://limited.example/'))
  return { stored, limitedStored: limited.reduce((sum, [, count]) => sum + count, 0) }
}

function figuresOf({ visits, creations, edits, counted, limited }: Observed, seconds: number): string {
  const answered = visits.filter((visit) => visit.answered !== undefined)
  const times = answered.filter(({ reader }) => reader === undefined).map((visit) => visit.answered ?? 0)
  times.sort((one, other) => one - other)
  const gap = Math.max(0, ...times.map((at, index) => at - (times[index - 1] ?? at)))
  return [
    `${seconds} s`,
    `${answered.length} of ${visits.length} visits answered, ${counted.size} counted`,
    `${creations.filter(({ id }) => id !== undefined).length} links made`,
    `${[...edits.values()].reduce((sum, each) => sum + each.answered, 0)} edits`,
    `${limited.made} of ${limited.limit} links of a plan`,
    `at most ${(gap / 1000).toFixed(1)} s without a redirect through nginx`,
  ].join('; ')
}
