// Export of 20,000,000 clicks of 200,000 links to Parquet: the whole command. The baseline is DuckDB writing the same
// columns in the order of its tables, neither sorted nor cut into parts nor verified by checksums.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { fill } from '../cases/metrics.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'

const clicks = 20_000_000
const goal = 60

export async function exportClicks({ directory, say }) {
  const dataDir = join(directory, 'data')
  const service = await startShortlink(dataDir, ['--domains', 'sho.rt'])
  await service.stop()
  await fill(dataDir, clicks, { ids: [], groupGuid: 'Bmain' }, say)
  const plain = await writePlainly(join(dataDir, 'clicks.duckdb'), join(directory, 'plain.parquet'))
  say(`DuckDB alone took ${plain.toFixed(1)} s`)
  const seconds = await exportOnce(dataDir, join(directory, 'archive'))
  say(`the export took ${seconds.toFixed(1)} s`)
  return [
    {
      what: `export of ${clicks / 1e6} M clicks to Parquet`,
      figure: seconds,
      unit: 's',
      ratio: seconds / plain,
      goal: `< ${goal} s`,
      met: seconds < goal,
    },
    { what: 'DuckDB alone, unsorted', figure: plain, unit: 's' },
  ]
}

async function exportOnce(dataDir, archive) {
  rmSync(archive, { recursive: true, force: true })
  const began = performance.now()
  const args = [
    join(ownBuild, 'dist/main.js'),
    'export',
    archive,
    '--clicks',
    'parquet',
    '--data-dir',
    dataDir,
    '--json',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const { counts } = JSON.parse(output)
  if (counts.clicks !== clicks) throw new Error(`${counts.clicks} of ${clicks} clicks exported`)
  return (performance.now() - began) / 1000
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
