/**
 * `npm run chaos -- --minutes 10 --seed 7` runs a schedule from this seed, and with `--shrink` looks for the faults that are needed
 * for a failure. Without it, in `npm test`: a short schedule from a fixed seed.
 */
import { expect, it } from 'vitest'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { goNsq } from '../support/go-nsq.js'
import { whyNoPostgresServer } from '../support/postgres-server.js'
import { whyNoRedis } from '../support/redis-server.js'
import { whyNoNginx } from './cluster.js'
import { runSchedule } from './run.js'
import { drawSchedule, type Fault, written } from './schedule.js'

const { CHAOS_CLOCKS = 'off', CHAOS_SEED = '12', CHAOS_SECONDS = '30', CHAOS_SHRINK } = process.env
const seconds = Number(CHAOS_SECONDS)
const mostRuns = 20

const nsq = goNsq()
const skip =
  ClickhouseServer.skip() ?? whyNoPostgresServer() ?? whyNoRedis ?? whyNoNginx ?? ('skip' in nsq ? nsq.skip : undefined)

it.skipIf(skip)(
  `keeps what it promises through ${seconds} s of faults from seed ${CHAOS_SEED}${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  { timeout: (CHAOS_SHRINK ? mostRuns : 1) * (seconds * 3 + 900) * 1000 },
  async () => {
    const schedule = drawSchedule(Number(CHAOS_SEED), seconds)
    const found = await violationsOf(schedule)
    if (found.length > 0 && CHAOS_SHRINK) console.log(listed('Still fails with', await shrunk(schedule)))
    const flags = `--minutes ${seconds / 60} --seed ${CHAOS_SEED}${CHAOS_CLOCKS === 'on' ? ' --clocks' : ''}`
    expect(found, `npm run chaos -- ${flags} --shrink`).toEqual([])
  },
)

async function violationsOf(schedule: readonly Fault[]): Promise<readonly string[]> {
  const { violations, figures } = await runSchedule('skip' in nsq ? { nsqd: '', nsqlookupd: '' } : nsq, schedule)
  console.log(figures)
  if (violations.length > 0) console.log(`${listed('Fails with', schedule)}\n${violations.slice(0, 50).join('\n')}`)
  return violations
}

/** Leaves out one fault after the other, and keeps it out if the run still fails. */
async function shrunk(schedule: readonly Fault[]): Promise<readonly Fault[]> {
  let kept = schedule
  for (let run = 1, index = 0; run < mostRuns && index < kept.length; run++) {
    const fewer = kept.filter((_, other) => other !== index)
    if ((await violationsOf(fewer)).length > 0) kept = fewer
    else index += 1
  }
  return kept
}

function listed(title: string, schedule: readonly Fault[]): string {
  return [`${title} ${schedule.length} faults:`, ...schedule.map((fault) => `  ${written(fault)}`)].join('\n')
}
