// Export of 20,000,000 clicks of 200,000 links, the whole command while a service redirects: to Parquet, and to Parquet and
// NDJSON. The baseline is DuckDB writing the same columns as Parquet in the order of its tables, neither sorted nor cut into
// parts nor verified by checksums. Then the largest CSV file of clicks that the service makes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { amount } from '../brief.mjs'
import { fill } from '../cases/metrics.mjs'
import { browser, load, loadDuring } from '../load.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'

const clicks = amount(20_000_000, 40_000)
const formats = { Parquet: { flag: 'parquet', goal: 30 }, 'Parquet and NDJSON': { flag: 'parquet,ndjson', goal: 90 } }
const share = 0.9
const flags = ['--domains', 'sho.rt']

export async function exportClicks({ directory, say }) {
  const dataDir = join(directory, 'data')
  const first = await startShortlink(dataDir, flags)
  const { id } = await first.shorten('https://example.com/exported')
  const { default_group_guid: groupGuid } = await (await first.request('GET', '/v4/user')).json()
  await first.stop()
  await fill(dataDir, clicks, { ids: [id], groupGuid }, say)
  const plain = await writePlainly(join(dataDir, 'clicks.duckdb'), join(directory, 'plain.parquet'))
  say(`DuckDB alone took ${plain.toFixed(1)} s`)
  const service = await startShortlink(dataDir, flags)
  try {
    const redirects = { url: `${service.url}/${id.split('/')[1]}`, headers: { ...browser, Host: 'sho.rt' } }
    await load({ ...redirects, seconds: amount(3, 1) }) // warms the compiler up
    await service.drained()
    const rows = [{ what: 'DuckDB alone, unsorted', figure: plain, unit: 's' }]
    for (const [name, { flag, goal }] of Object.entries(formats)) {
      const exporting = () => exportOnce(dataDir, join(directory, 'archive'), flag)
      const what = `export of ${clicks / 1e6} M clicks to ${name}`
      const seconds = await exporting()
      say(`${what}: ${seconds.toFixed(1)} s`)
      rows.push({
        what,
        figure: seconds,
        unit: 's',
        ratio: seconds / plain,
        goal: `<= ${goal} s`,
        met: seconds <= goal,
      })
      rows.push(await besideRedirects(service, redirects, `redirects during an export to ${name}`, exporting))
    }
    return [...rows, await csvOf(service, groupGuid)]
  } finally {
    await service.stop()
  }
}

async function besideRedirects(service, redirects, what, exporting) {
  const undisturbed = async () => {
    const { perSecond } = await load({ ...redirects, seconds: amount(5, 1) })
    await service.drained()
    return perSecond
  }
  const before = await undisturbed()
  const { perSecond } = await loadDuring(redirects, exporting)
  await service.drained()
  const ratio = (2 * perSecond) / (before + (await undisturbed()))
  return { what, figure: perSecond, unit: '/s', ratio, goal: `>= ${share} of undisturbed`, met: ratio >= share }
}

/** On a busy machine the service may count what waits in the journal for longer than the command waits: then it is run again. */
async function exportOnce(dataDir, archive, format) {
  const command = ['export', archive, '--clicks', format, '--data-dir', dataDir, '--json']
  const began = performance.now()
  for (let run = 1; run <= 10; run++) {
    rmSync(archive, { recursive: true, force: true })
    const child = spawn(process.execPath, [join(ownBuild, 'dist/main.js'), ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    if (status !== 0) continue
    const { counts } = JSON.parse(output)
    if (counts.clicks < clicks) throw new Error(`${counts.clicks} of ${clicks} clicks exported`)
    return (performance.now() - began) / 1000
  }
  throw new Error('the export failed ten times')
}

async function csvOf(service, groupGuid) {
  const began = performance.now()
  const made = await service.request('POST', `/v4/groups/${groupGuid}/metrics/latest/exports`, {})
  if (made.status !== 202) throw new Error(`the export answered ${made.status}: ${await made.text()}`)
  const { guid } = await made.json()
  for (;;) {
    const { state, rows_done, rows_total } = await (await service.request('GET', `/v4/exports/${guid}`)).json()
    if (state === 'done' && rows_done === rows_total) {
      return { what: `a CSV file of ${rows_done} clicks`, figure: (performance.now() - began) / 1000, unit: 's' }
    }
    if (state === 'failed' || state === 'done') throw new Error(`${rows_done} of ${rows_total} rows, ${state}`)
    await sleep(100)
  }
}

async function writePlainly(file, target) {
  const began = performance.now()
  const instance = await DuckDBInstance.create(file, { memory_limit: '512MB', threads: '2' })
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT clicked_at, addresses.value AS address, groups.value AS group_guid, destinations.value AS destination,
        kind, nature, places.* EXCLUDE id, agents.* EXCLUDE id, referrers.* EXCLUDE id, visitor, n
      FROM clicks JOIN addresses ON addresses.id = clicks.address JOIN groups ON groups.id = clicks.group_key
        JOIN destinations ON destinations.id = clicks.destination JOIN places ON places.id = clicks.place
        JOIN agents ON agents.id = clicks.agent JOIN referrers ON referrers.id = clicks.referrer)
    TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)`,
  )
  connection.closeSync()
  instance.closeSync()
  return (performance.now() - began) / 1000
}
