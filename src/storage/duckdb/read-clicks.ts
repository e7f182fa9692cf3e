/**
 * Reads the clicks of an archive back, as batches for any click log. DuckDB numbers the different values of a file, so that
 * only these, and not the texts of every click, become strings here.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { type BatchTable, batchTables, type ClickBatch } from '../../core/clicks/click-batch.js'
import { dimensions, dimensionsOf, type Name, visitKinds } from '../../core/clicks/dimensions.js'
import { clickFacts, quoted, temporaryDuckdb } from './click-files.js'

const batchRows = 20_480

/** The clicks of a Parquet or NDJSON file after its first `skip` rows. */
export async function* readClicks(file: string, skip: number): AsyncGenerator<ClickBatch> {
  const instance = await temporaryDuckdb()
  try {
    const connection = await instance.connect()
    const facts = await factsIn(connection, file)
    await connection.run(
      `CREATE TABLE clicks AS SELECT row_number() OVER () AS row, clicked_at, ${facts.join(', ')}, visitor, clicks
      FROM ${rowsIn(file)} OFFSET ${skip}`,
    )
    const tables: (readonly object[])[] = []
    for (const table of batchTables) tables.push(await numbered(connection, table))
    yield* batchesOf(connection, tables)
  } finally {
    instance.closeSync()
  }
}

/** The dimensions of each table of a batch. */
const tableDimensions: Readonly<Record<BatchTable, readonly { readonly name: Name; readonly column: string }[]>> = {
  targets: dimensionsOf('click').filter(({ codes }) => !codes),
  places: dimensionsOf('place'),
  agents: [{ name: 'trafficClass', ...dimensions.trafficClass }, ...dimensionsOf('agent')],
  referrers: dimensionsOf('referrer'),
}

function columnsOf(table: BatchTable): readonly string[] {
  return tableDimensions[table].map(({ column }) => column)
}

/** SQL for each fact. A file of an older version lacks dimensions that came later: their texts are empty. */
async function factsIn(connection: DuckDBConnection, file: string): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${rowsIn(file)}`)
  const present = new Set(reader.getRows().map(([column]) => String(column)))
  return clickFacts.map((fact) => `${present.has(fact) ? `coalesce(${fact}, '')` : "''"} AS ${fact}`)
}

function rowsIn(file: string): string {
  if (file.endsWith('.parquet')) return `read_parquet(${quoted(file)})`
  const texts = clickFacts.map((fact) => `${fact}: 'VARCHAR'`).join(', ')
  const columns = `{clicked_at: 'TIMESTAMP', ${texts}, visitor: 'UBIGINT', clicks: 'UINTEGER'}`
  return `read_json(${quoted(file)}, format = 'newline_delimited', columns = ${columns})`
}

/** In front of every text, because the driver drops a byte order mark at the beginning of one. */
const guard = '.'

/** Creates a table with a number for each combination of its facts, and returns the combinations in that order. */
async function numbered(connection: DuckDBConnection, table: BatchTable): Promise<readonly object[]> {
  const columns = columnsOf(table)
  await connection.run(
    `CREATE TABLE ${table} AS SELECT (row_number() OVER () - 1)::UINTEGER AS id, *
    FROM (SELECT DISTINCT ${columns.join(', ')} FROM clicks)`,
  )
  const texts = columns.map((column) => `'${guard}' || ${column}`).join(', ')
  const reader = await connection.runAndReadAll(`SELECT ${texts} FROM ${table} ORDER BY id`)
  const linkId = table === 'targets' ? { linkId: '' } : {}
  return reader.getRows().map((row) => {
    const fields = tableDimensions[table].map(({ name }, at) => [name, String(row[at]).slice(guard.length)])
    return { ...linkId, ...Object.fromEntries(fields) }
  })
}

async function* batchesOf(
  connection: DuckDBConnection,
  tables: readonly (readonly object[])[],
): AsyncGenerator<ClickBatch> {
  const kinds = visitKinds.map((kind, number) => `WHEN '${kind}' THEN ${number}`).join(' ')
  const joins = batchTables.map((table) => `JOIN ${table} USING (${columnsOf(table).join(', ')})`)
  const result = await connection.stream(
    `SELECT epoch_ms(clicked_at)::DOUBLE, coalesce(visitor, 0::UBIGINT),
      (CASE WHEN visitor IS NULL THEN clicks ELSE 0 END)::UINTEGER, (CASE kind ${kinds} ELSE 0 END)::UTINYINT,
      ${batchTables.map((table) => `${table}.id`).join(', ')}
    FROM clicks ${joins.join(' ')} ORDER BY row`,
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

function batchOf(columns: readonly (readonly unknown[])[], tables: readonly (readonly object[])[]): ClickBatch {
  const [at = [], visitors = [], totals = [], kinds = [], ...used] = columns
  // The tables of a file are shared by its batches, so the click log looks their texts up once.
  const numbered = batchTables.map((name, index) => [
    name,
    { table: tables[index] ?? [], used: Uint32Array.from((used[index] ?? []) as number[]) },
  ])
  return {
    at: Float64Array.from(at as number[]),
    visitorHash: BigUint64Array.from(visitors as bigint[]),
    totals: Uint32Array.from(totals as number[]),
    kinds: Uint8Array.from(kinds as number[]),
    // The archive was verified: these are texts that a click log wrote.
    ...(Object.fromEntries(numbered) as Pick<ClickBatch, BatchTable>),
    skippedRanges: [],
  }
}
