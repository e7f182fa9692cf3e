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
    const faults: Promise<boolean>[] = []
    for (const fault of schedule) {
      await wait(fault.after)
      faults.push(cluster.apply(fault))
    }
    const applied = (await Promise.all(faults)).filter(Boolean).length
    await wait(3000)
    await traffic.end()
    const seconds = Math.round((performance.now() - begun) / 1000)
    const observed = await observe(cluster, traffic)
    const found = [...cluster.problems, ...violations(observed)]
    if (found.length > 0) console.log(`Logs of the processes: ${cluster.writeLogs()}`)
    return { violations: found, figures: `${applied} of ${schedule.length} faults in ${figuresOf(observed, seconds)}` }
  } finally {
    await traffic?.close()
    await cluster.stop()
  }
}

/** Waits until what was counted is told as well, or for two minutes. */
async function observe(cluster: Cluster, traffic: Traffic): Promise<Observed> {
  const lost = await cluster.settled()
  const counted = await countedVisits(cluster)
  const deadline = Date.now() + 120_000
  const told = () => [traffic.streamed, traffic.delivered].map(numbersOf)
  while (told().some((has) => [...counted.keys()].some((visit) => !has.has(visit))) && Date.now() < deadline) {
    await wait(500)
  }
  const { visits, creations, edits, limited } = traffic
  return {
    ...{ visits, creations, edits, limited, lost, counted },
    streamed: numbersOf(traffic.streamed),
    delivered: numbersOf(traffic.delivered),
    ...(await storedLinks(cluster)),
    finals: await traffic.finalLocations((link, location) => isFinal({ creations, edits }, link, location)),
  }
}

/** Visits before and after the run have none. */
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

function figuresOf({ visits, creations, edits, counted, limited, lost }: Observed, seconds: number): string {
  const answered = visits.filter((visit) => visit.answered !== undefined)
  const times = answered.filter(({ reader }) => reader === undefined).map((visit) => visit.answered ?? 0)
  times.sort((one, other) => one - other)
  const gap = Math.max(0, ...times.map((at, index) => at - (times[index - 1] ?? at)))
  return [
    `${seconds} s`,
    `${answered.length} of ${visits.length} visits answered, ${counted.size} counted, ${lost} reported lost`,
    `${creations.filter(({ id }) => id !== undefined).length} links made`,
    `${[...edits.values()].reduce((sum, each) => sum + each.answered, 0)} edits`,
    `${limited.made} of ${limited.limit} links of a plan`,
    `at most ${(gap / 1000).toFixed(1)} s without a redirect through nginx`,
  ].join('; ')
}
