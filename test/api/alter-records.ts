import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'libsql'
import { Client } from 'pg'
import { hashToken } from '../../src/core/accounts/authenticate.js'
import { newGuid } from '../../src/core/values/guid.js'
import { isBusy } from '../../src/storage/sql/sqlite-driver.js'
import type { StartedApp } from '../support/start-app.js'

/** Puts the records into a state that no operation can create yet. */
export async function alterRecords(started: StartedApp, statement: string, ...values: unknown[]): Promise<void> {
  await inRecords(started, statement, ...values)
}

/** Runs a statement directly on the database of the records; `?` stands for a value. */
export async function inRecords(started: StartedApp, statement: string, ...values: unknown[]): Promise<unknown[]> {
  const { databaseUrl, dataDir } = started.app.config
  return databaseUrl === undefined
    ? inSqlite(join(dataDir, 'records.sqlite'), statement, values)
    : inPostgres(databaseUrl, statement, values)
}

/**
 * The app runs in this thread, and its transactions may span several event-loop turns: a connection that blocked the
 * thread until the lock is free (busy_timeout) would deadlock.
 */
async function inSqlite(file: string, statement: string, values: unknown[]): Promise<unknown[]> {
  const database = new Database(file)
  try {
    database.pragma('busy_timeout = 0')
    const prepared = database.prepare(statement)
    for (;;) {
      try {
        if (prepared.reader) return prepared.all(...values)
        prepared.run(...values)
        return []
      } catch (error) {
        if (!isBusy(error)) throw error
        await setTimeout(1)
      }
    }
  } finally {
    database.close()
  }
}

async function inPostgres(connectionString: string, statement: string, values: unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    let place = 0
    const { rows } = await client.query(
      statement.replaceAll('?', () => `$${++place}`),
      values,
    )
    return rows
  } finally {
    await client.end()
  }
}

export interface Someone {
  readonly token: string
  readonly groupGuid: string
}

/** A user in a separate organization and group. */
export async function aStranger(started: StartedApp): Promise<Someone> {
  const organization = newGuid('organization')
  const groupGuid = newGuid('group')
  const insert = async (table: string, guid: string, columns: Record<string, unknown>) => {
    // Younger than the organization of the first user, because the oldest one is the operator's.
    const row = { guid, name: 'elsewhere', created_at: 4e12, modified_at: 4e12, ...columns }
    const names = Object.keys(row)
    const marks = names.map(() => '?').join(', ')
    await alterRecords(started, `insert into ${table} (${names.join(', ')}) values (${marks})`, ...Object.values(row))
  }
  await insert('organizations', organization, {})
  await insert('groups', groupGuid, { organization_guid: organization })
  return { token: await aMember(started, groupGuid), groupGuid }
}

/** A new user of a group, with a token. */
export async function aMember(started: StartedApp, groupGuid: string, role?: string): Promise<string> {
  const { accounts } = started.app
  const guid = newGuid('token')
  const login = `user-${guid.toLowerCase()}`
  await accounts.addUser({ login, name: '', email: undefined, passwordHash: 'none', groupGuid, at: 1 })
  if (role) await alterRecords(started, 'update group_members set role = ? where login = ?', role, login)
  const token = guid.repeat(4)
  await accounts.addToken({ guid, secretHash: hashToken(token), hint: token.slice(-4), login, label: '', at: 1 })
  return token
}
