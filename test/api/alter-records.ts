import { join } from 'node:path'
import Database from 'libsql'
import { hashToken } from '../../src/core/accounts/authenticate.js'
import { newGuid } from '../../src/core/values/guid.js'
import type { StartedApp } from '../support/start-app.js'

/** Brings the records into a state that no operation of the interface leads to yet. */
export function alterRecords(started: StartedApp, statement: string, ...values: unknown[]): void {
  const database = new Database(join(started.app.config.dataDir, 'records.sqlite'))
  try {
    database.pragma('busy_timeout = 5000')
    database.prepare(statement).run(...values)
  } finally {
    database.close()
  }
}

export interface Someone {
  readonly token: string
  readonly groupGuid: string
}

/** A user in an organization and group of their own, who shares nothing with the first user. */
export async function aStranger(started: StartedApp): Promise<Someone> {
  const organization = newGuid('organization')
  const groupGuid = newGuid('group')
  const insert = (table: string, guid: string, columns: Record<string, unknown>) => {
    // Younger than the organization of the first user: the oldest is the one that runs the service.
    const row = { guid, name: 'elsewhere', created_at: 4e12, modified_at: 4e12, ...columns }
    const names = Object.keys(row)
    const marks = names.map(() => '?').join(', ')
    alterRecords(started, `insert into ${table} (${names.join(', ')}) values (${marks})`, ...Object.values(row))
  }
  insert('organizations', organization, {})
  insert('groups', groupGuid, { organization_guid: organization })
  return { token: await aMember(started, groupGuid), groupGuid }
}

/** A new user of a group, with a token. */
export async function aMember(started: StartedApp, groupGuid: string, role?: string): Promise<string> {
  const { accounts } = started.app
  const guid = newGuid('token')
  const login = `user-${guid.toLowerCase()}`
  await accounts.addUser({ login, name: '', email: undefined, passwordHash: 'none', groupGuid, at: 1 })
  if (role) alterRecords(started, 'update group_members set role = ? where login = ?', role, login)
  const token = guid.repeat(4)
  await accounts.addToken({ guid, secretHash: hashToken(token), hint: token.slice(-4), login, label: '', at: 1 })
  return token
}
