/**
 * Reads the clicks of an archive back, as batches for any click log. DuckDB numbers the different values of a file, so that
 * only these, and not the texts of every click, become strings here.
 */
import { tmpdir } from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EngagementKind, TrafficClass } from '../../core/clicks/click.js'
import { type BatchAgent, type ClickBatch, engagementKinds } from '../../core/clicks/click-batch.js'
import { clickFacts, quoted } from './click-files.js'

const batchRows = 20_480

/** The clicks of a Parquet or NDJSON file after its first `skip` rows. */
export async function* readClicks(file: string, skip: number): AsyncGenerator<ClickBatch> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '512MB',
    temp_directory: `${tmpdir()}/shortlink-import-${process.pid}`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const facts = clickFacts.map((fact) => `coalesce(${fact}, '') AS ${fact}`).join(', ')
    await connection.run(
      `CREATE TABLE clicks AS SELECT row_number() OVER () AS row, clicked_at, ${facts}, visitor, clicks
      FROM ${rowsIn(file)} OFFSET ${skip}`,
    )
    const tables = {
      targets: await numbered(connection, 'targets', targetFacts, ([address, groupGuid, destination]) => {
        return { address, linkId: '', groupGuid, destination }
      }),
      places: await numbered(connection, 'places', placeFacts, ([country, region, subregion, city]) => {
        return { country, region, subregion, city }
      }),
      // The archive was verified: these are names that a click log wrote.
      agents: await numbered(connection, 'agents', agentFacts, ([trafficClass, device, os, browser]) => {
        return { trafficClass: trafficClass as TrafficClass, device: device as BatchAgent['device'], os, browser }
      }),
      referrers: await numbered(connection, 'referrers', referrerFacts, ([raw, domain, name, network]) => {
        return { raw, domain, name, network }
      }),
    }
    yield* batchesOf(connection, tables)
  } finally {
    instance.closeSync()
  }
}

type Tables = { readonly [Name in (typeof numberedColumns)[number]]: ClickBatch[Name]['table'] }

const numberedColumns = ['targets', 'places', 'agents', 'referrers'] as const
const targetFacts = ['address', 'group_guid', 'destination'] as const
const placeFacts = ['country', 'region', 'subregion', 'city'] as const
const agentFacts = ['traffic_class', 'device', 'os', 'browser'] as const
const referrerFacts = ['referrer', 'referrer_domain', 'referrer_name', 'referrer_network'] as const

function rowsIn(file: string): string {
  if (file.endsWith('.parquet')) return `read_parquet(${quoted(file)})`
  const texts = clickFacts.map((fact) => `${fact}: 'VARCHAR'`).join(', ')
  const columns = `{clicked_at: 'TIMESTAMP', ${texts}, visitor: 'UBIGINT', clicks: 'UINTEGER'}`
  return `read_json(${quoted(file)}, format = 'newline_delimited', columns = ${columns})`
}

/** In front of every text, because the driver drops a byte order mark at the beginning of one. */
const guard = '.'

/** Creates a table with a number for each combination of these facts, and returns the combinations in that order. */
async function numbered<Facts extends readonly string[], Entry>(
  connection: DuckDBConnection,
  table: string,
  facts: Facts,
  entryOf: (texts: { readonly [Index in keyof Facts]: string }) => Entry,
): Promise<readonly Entry[]> {
  await connection.run(
    `CREATE TABLE ${table} AS SELECT (row_number() OVER () - 1)::UINTEGER AS id, *
    FROM (SELECT DISTINCT ${facts.join(', ')} FROM clicks)`,
  )
  const texts = facts.map((fact) => `'${guard}' || ${fact}`).join(', ')
  const reader = await connection.runAndReadAll(`SELECT ${texts} FROM ${table} ORDER BY id`)
  return reader.getRows().map((row) => {
    const values = row.map((value) => String(value).slice(guard.length))
    // One text for each of the facts.
    return entryOf(values as unknown as { readonly [Index in keyof Facts]: string })
  })
}

async function* batchesOf(connection: DuckDBConnection, tables: Tables): AsyncGenerator<ClickBatch> {
  const kinds = engagementKinds.map((kind: EngagementKind, number) => `WHEN '${kind}' THEN ${number}`).join(' ')
  const result = await connection.stream(
    `SELECT epoch_ms(clicked_at)::DOUBLE, coalesce(visitor, 0::UBIGINT),
      (CASE WHEN visitor IS NULL THEN clicks ELSE 0 END)::UINTEGER, (CASE kind ${kinds} ELSE 0 END)::UTINYINT,
      targets.id, places.id, agents.id, referrers.id
    FROM clicks JOIN targets USING (${targetFacts.join(', ')}) JOIN places USING (${placeFacts.join(', ')})
      JOIN agents USING (${agentFacts.join(', ')}) JOIN referrers USING (${referrerFacts.join(', ')})
    ORDER BY row`,
  )
  let columns: unknown[][] = []
  for (;;) {
    const chunk = await result.fetchChunk()
    const isLast = !chunk || chunk.rowCount === 0
    if (!isLast) columns = chunk.getColumns().map((column, at) => (columns[at] ?? []).concat(column))
    const rows = columns[0]?.length ?? 0
    if (rows >= batchRows || (isLast && rows > 0)) {
      yield batchOf(columns, tables)
      columns = []
    }
    if (isLast) return
  }
}

function batchOf(columns: readonly (readonly unknown[])[], tables: Tables): ClickBatch {
  const [at = [], visitors = [], totals = [], kinds = [], ...used] = columns
  // The tables of a file are shared by its batches, so the click log looks their texts up once.
  const column = <Name extends keyof Tables>(name: Name) => ({
    table: tables[name],
    used: Uint32Array.from((used[numberedColumns.indexOf(name)] ?? []) as number[]),
  })
  return {
    at: Float64Array.from(at as number[]),
    visitorHash: BigUint64Array.from(visitors as bigint[]),
    totals: Uint32Array.from(totals as number[]),
    kinds: Uint8Array.from(kinds as number[]),
    targets: column('targets') as ClickBatch['targets'],
    places: column('places') as ClickBatch['places'],
    agents: column('agents') as ClickBatch['agents'],
    referrers: column('referrers') as ClickBatch['referrers'],
    passedOver: [],
  }
}
