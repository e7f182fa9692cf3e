import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLinkSource } from './open-link-source.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-yourls-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const header = '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)'
const urls = (clicks: number) => [
  'CREATE TABLE `yourls_url` (',
  '  `keyword` varchar(100) NOT NULL,',
  '  `url` text NOT NULL,',
  '  `timestamp` timestamp NOT NULL,',
  '  `clicks` int unsigned NOT NULL',
  ');',
  `INSERT INTO \`yourls_url\` VALUES ('sale','https://example.com/','2012-05-14 16:30:00',${clicks});`,
]
const log = [
  'CREATE TABLE `yourls_log` (',
  '  `click_time` datetime NOT NULL,',
  '  `shorturl` varchar(100) NOT NULL',
  ');',
]
const logged = "INSERT INTO `yourls_log` VALUES ('2012-05-15 08:00:00','sale');"
const end = '-- Dump completed on 2026-11-16 12:00:00'

async function read(...lines: string[]) {
  const file = join(folder, 'yourls.sql')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const notes: string[] = []
  const source = await openLinkSource(file, {
    from: undefined,
    token: undefined,
    now: Date.now(),
    note: (line) => notes.push(line),
  })
  const clicks: unknown[] = []
  for await (const { at, count } of source.clicks()) clicks.push([new Date(at).toISOString().slice(0, 10), count])
  return { detail: source.detail, clicks, notes }
}

describe('a dump of YOURLS', () => {
  it('has single clicks with its log, and totals without one', async () => {
    const single = { detail: 'single clicks', clicks: [['2012-05-15', undefined]], notes: [] }
    expect(await read(header, ...urls(1), ...log, logged, end)).toEqual(single)
    expect(await read(header, ...urls(4), end)).toEqual({ detail: 'totals', clicks: [['2012-05-14', 4]], notes: [] })
  })

  it('has no clicks when its log has no rows, and says so if links have clicks', async () => {
    const none = { detail: 'single clicks', clicks: [] }
    const note = expect.stringMatching(
      /^No clicks are imported: links have clicks, but the table yourls_log has no rows/,
    )
    expect(await read(header, ...urls(4), ...log)).toEqual({ ...none, notes: [note] })
    expect(await read(header, ...urls(0), ...log, end)).toEqual({ ...none, notes: [] })
    // The log of another program.
    const other = log.map((line) => line.replace('yourls_log', 'shop_log'))
    expect(await read(header, ...urls(4), ...other, end)).toMatchObject({ detail: 'totals', notes: [] })
  })

  it('is refused when it was cut off before its log', async () => {
    await expect(read(header, ...urls(4))).rejects.toThrow('is incomplete: its last line is not "-- Dump completed".')
    // Dumps of other programs have neither line.
    expect(await read(...urls(4))).toMatchObject({ detail: 'totals' })
  })
})
