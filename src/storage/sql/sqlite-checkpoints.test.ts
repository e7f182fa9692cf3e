import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomHash } from '../../core/values/random.js'
import type { Records } from '../records/records.js'
import { openSqlite } from '../records/sqlite.js'
import { openFile } from './sqlite.js'

describe('checkpoints', () => {
  let directory: string
  let file: string
  let records: Records
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'shortlink-checkpoints-'))
    file = join(directory, 'records.sqlite')
    records = await openSqlite(file)
    await records.migrate()
  })
  afterEach(async () => {
    await records.close()
    rmSync(directory, { recursive: true })
  })

  const makeLink = (number: number) => {
    const longUrl = `https://example.com/${number}`
    const owner = { groupGuid: 'B1', organizationGuid: 'O1', createdBy: 'ada', clientId: undefined }
    const draft = { ...owner, domain: 'sho.rt', longUrl, at: 1 }
    return records.links.findOrInsert(draft, randomHash)
  }

  /** The links in the file without the WAL. */
  function linksInFile(): number {
    const copy = join(directory, 'copy.sqlite')
    copyFileSync(file, copy)
    const database = new Database(copy)
    try {
      const [row] = database.prepare('select count(*) as links from links').all() as { links: number }[]
      return row?.links ?? 0
    } finally {
      database.close()
    }
  }

  it('move commits from the WAL into the file while the service runs', async () => {
    await makeLink(0)
    await vi.waitFor(() => expect(linksInFile()).toBe(1), 60_000)
    for (let number = 1; number <= 120; number++) await makeLink(number)
    await vi.waitFor(() => expect(linksInFile()).toBe(121), 60_000)
  })

  it('are not mistaken for external changes', async () => {
    const before = records.externalChanges.version()
    await makeLink(0)
    await vi.waitFor(() => expect(linksInFile()).toBe(1), 60_000)
    await makeLink(1)
    expect(records.externalChanges.version()).toBe(before)
  })

  it('stop when the records are closed', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, number) => makeLink(number)))
    await records.close()
    expect(linksInFile()).toBe(200)
    records = await openSqlite(file)
  })
})

it('the write-ahead log is bounded, also if no checkpoint in the background reaches its end', () => {
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-wal-'))
  const file = join(directory, 'records.sqlite')
  const database = openFile(file)
  try {
    database.exec('create table texts (id integer primary key, text blob)')
    const insert = database.prepare('insert or replace into texts values (?, randomblob(1000000))')
    for (let megabytes = 0; megabytes < 150; megabytes++) insert.run([megabytes % 20])
    expect(statSync(`${file}-wal`).size).toBeLessThan(70 * 2 ** 20)
  } finally {
    database.close()
    rmSync(directory, { recursive: true })
  }
})
