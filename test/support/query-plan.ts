/** How an engine would answer a query, in its own words, one step a line. */
import Database from 'libsql'
import { Client } from 'pg'
import type { SqlEngine, TestDatabase } from './sql-engines.js'

export async function queryPlan(
  engine: SqlEngine,
  { location }: TestDatabase,
  sql: string,
  parameters: readonly unknown[],
): Promise<string> {
  return engine.name === 'postgres' ? postgresPlan(location, sql, parameters) : sqlitePlan(location, sql, parameters)
}

function sqlitePlan(location: string, sql: string, parameters: readonly unknown[]): string {
  const database = new Database(location)
  try {
    const rows = database.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]
    return rows.map(({ detail }) => detail).join('\n')
  } finally {
    database.close()
  }
}

async function postgresPlan(location: string, sql: string, parameters: readonly unknown[]): Promise<string> {
  const client = new Client({ connectionString: location })
  await client.connect()
  try {
    const { rows } = await client.query(`explain ${sql}`, [...parameters])
    return rows.map((row) => Object.values(row)[0]).join('\n')
  } finally {
    await client.end()
  }
}
