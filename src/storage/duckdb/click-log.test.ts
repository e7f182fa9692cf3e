import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '../../core/clicks/click.js'
import { aClick, aQuery, clickLogContract } from '../../core/clicks/click-log.contract.js'
import { allDimensions, dimensionsOf, type Part, parts } from '../../core/clicks/dimensions.js'
import { UnavailableError } from '../../lib/operator-error.js'
import { openDuckdbClickLog } from './click-log.js'
import { digestOf } from './dictionary.js'
import { stored } from './dimensions.js'
import { migrations } from './schema.js'

describe('on DuckDB', () => {
  let directory: string
  let file: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'click-log-'))
    file = join(directory, 'clicks.duckdb')
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  clickLogContract(() => openDuckdbClickLog(file, { runSize: { runRows: 300, sliceRows: 100 } }))

  it('stores each address, group and destination once, also after a restart', async () => {
    const clicks = [
      aClick(),
      aClick({ address: 'sho.rt/keyword', destination: `https://example.com/${'x'.repeat(500)}` }),
    ]
    for (const row of [1, 2, 3]) {
      const log = await openDuckdbClickLog(file)
      await log.append([...clicks, ...clicks], { journalId: 'journal', row })
      await log.close()
    }
    expect(await sizeOf('addresses')).toBe(2)
    expect(await sizeOf('groups')).toBe(1)
    expect(await sizeOf('destinations')).toBe(2)
    expect(await sizeOf('places')).toBe(1)
    expect(await sizeOf('referrers')).toBe(1)
    expect(await sizeOf('clicks')).toBe(12)
  })

  it('stores all fields of a click except its link', async () => {
    const log = await openDuckdbClickLog(file)
    await log.append(
      [aClick({ kind: 'scan', trafficClass: 'preview', referrer: 'https://t.co/x', referrerDomain: 't.co' })],
      {
        journalId: 'journal',
        row: 1,
      },
    )
    await log.close()
    const [row] = await rowsOf(`
      SELECT c.clicked_at, a.value, g.value, d.value, c.kind, c.nature, p.country, p.region, p.subregion, p.city,
        u.device, u.os, u.browser, r.value, r.domain, r.name, r.network, c.visitor
      FROM clicks c JOIN addresses a ON a.id = c.address
        JOIN groups g ON g.id = c.group_key JOIN destinations d ON d.id = c.destination
        JOIN places p ON p.id = c.place JOIN agents u ON u.id = c.agent JOIN referrers r ON r.id = c.referrer`)
    expect(row).toEqual([
      ...[1794744000000n, 'sho.rt/a', 'Bgroup', 'https://example.com/', 1, 2, 'DE', 'Berlin', '', 'Berlin'],
      ...['Desktop', 'Linux', 'Firefox', 'https://t.co/x', 't.co', 'direct', 'direct', 18_446_744_073_709_551_615n],
    ])
  })

  it('has a column for each dimension of a part, in the described order', async () => {
    await (await openDuckdbClickLog(file)).close()
    for (const [part, table] of Object.entries(parts)) {
      const columns = await rowsOf(
        `SELECT column_name FROM duckdb_columns() WHERE table_name = '${table}' ORDER BY column_index`,
      )
      const described = dimensionsOf(part as Part).map(({ name }) => stored[name].text)
      expect(columns.flat()).toEqual(['id', ...described])
    }
  })

  it('opens a file of the first version, counts its clicks, and appends to it', async () => {
    await rowsOf(`${migrations[0]}
      CREATE TABLE schema_version (version INTEGER NOT NULL);
      INSERT INTO schema_version VALUES (1);
      INSERT INTO groups VALUES (1, ${digestOf('Bgroup')}, 'Bgroup');
      INSERT INTO addresses VALUES (1, ${digestOf('sho.rt/a')}, 'sho.rt/a', 1);
      INSERT INTO destinations VALUES (1, ${digestOf('https://example.com/')}, 'https://example.com/');
      INSERT INTO places VALUES (1, 'DE', 'Berlin', '', 'Berlin');
      INSERT INTO agents VALUES (1, 'Desktop', 'Linux', 'Firefox');
      INSERT INTO referrers VALUES (1, 'direct', 'direct', 'direct', 'direct');
      INSERT INTO recent_clicks VALUES (1000, 1, 1, 1, 0, 0, 1, 1, 1, 7);
      INSERT INTO recent_totals VALUES (0, 1, 1, 1, 0, 0, 1, 1, 1, 5)`)
    const log = await openDuckdbClickLog(file)
    await log.append([aClick({ at: 2000 })], { journalId: 'journal', row: 1 })
    const by = allDimensions.map(({ name }) => name)
    const values = by.map((name) => textOf(aClick(), name))
    expect(await log.count(aQuery({ by }))).toEqual([{ start: 0, values, count: 7 }])
    await log.close()
    // The texts have the keys of the older version.
    expect([await sizeOf('places'), await sizeOf('agents'), await sizeOf('referrers')]).toEqual([1, 1, 1])
  })

  it('answers concurrent queries', async () => {
    const log = await openDuckdbClickLog(file)
    await log.append([aClick()], { journalId: 'journal', row: 1 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => log.count(aQuery())))
    expect(answers.every(([row]) => row?.count === 1)).toBe(true)
    await log.close()
  })

  it('closes cleanly during queries and appends', async () => {
    const log = await openDuckdbClickLog(file)
    const many = Array.from({ length: 5_000 }, (_, at) => aClick({ at }))
    const appending = log.append(many, { journalId: 'journal', row: 1 })
    const queries = Array.from({ length: 20 }, () =>
      log.count(aQuery({ by: ['time'], bucket: { unit: 'month', zone: 0 } })),
    )
    const settled = Promise.allSettled([appending, ...queries])
    await log.close()
    await settled
    await expect(appending).resolves.toBeUndefined()
    await expect(log.count(aQuery())).rejects.toThrow('The click log is closed.')
    await expect(log.append(many, { journalId: 'journal', row: 2 })).rejects.toThrow('The click log is closed.')
    expect(await sizeOf('clicks')).toBe(5_000)
  })

  it('reports in one sentence that a file is not a click log', async () => {
    writeFileSync(file, 'not a database'.repeat(1_000))
    const opening = openDuckdbClickLog(file)
    await expect(opening).rejects.toThrow(`Cannot open the click log ${file}: it is damaged or not a DuckDB file (`)
    await expect(opening).rejects.toBeInstanceOf(UnavailableError)
  })

  it('reports in one sentence that another process has the file open', async () => {
    const engine = createRequire(import.meta.url).resolve('@duckdb/node-api')
    const script = `require(${JSON.stringify(engine)}).DuckDBInstance.create(${JSON.stringify(file)})
      .then((db) => { globalThis.db = db; console.log('open') }); setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['-e', script])
    try {
      await once(holder.stdout, 'data')
      await expect(openDuckdbClickLog(file)).rejects.toThrow(
        `Another process (${holder.pid}) is using the click log ${file}.`,
      )
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
  })

  it('refuses a file written by a newer version', async () => {
    await (await openDuckdbClickLog(file)).close()
    await rowsOf('INSERT INTO schema_version VALUES (99)')
    await expect(openDuckdbClickLog(file)).rejects.toThrow('written by a newer version')
  })

  async function sizeOf(table: string): Promise<number> {
    const [row] = await rowsOf(`SELECT count(*) FROM ${table}`)
    return Number(row?.[0])
  }

  async function rowsOf(sql: string) {
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(sql)).getRows()
    connection.closeSync()
    instance.closeSync()
    return rows
  }
})
