import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { ClosedLogFile } from './closed-click-log.js'

let dataDir: string
let closed: ClosedLogFile
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-closed-'))
  closed = new ClosedLogFile(dataDir)
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
})

const known = { journalId: 'journal', row: 7, size: { rows: 5, bytes: 3 } }
function aClosedLog(): string {
  const file = join(dataDir, 'clicks.duckdb')
  writeFileSync(file, 'log')
  closed.write(known)
  return file
}

it('knows that a log that does not exist has nothing', () => {
  expect(closed.read('journal')).toEqual({ journalId: 'journal', row: 0, size: { rows: 0, bytes: 0 } })
})

it('knows a log that was closed and not touched since', () => {
  aClosedLog()
  expect(closed.read('journal')).toEqual(known)
})

it.each<[string, (file: string) => void]>([
  ['has grown', (file) => appendFileSync(file, '.')],
  ['was written at another time', (file) => utimesSync(file, 1, 1)],
  ['has a write-ahead log', (file) => writeFileSync(`${file}.wal`, '')],
  ['was opened', () => closed.remove()],
  ['has a broken note', () => writeFileSync(join(dataDir, 'clicks.closed.json'), '{"journalId": "journal"')],
])('does not know a log that %s', (_, change) => {
  change(aClosedLog())
  expect(closed.read('journal')).toBeUndefined()
})

it('does not know the position of another journal', () => {
  aClosedLog()
  expect(closed.read('other')).toBeUndefined()
})

it('writes nothing about a log that is in use', () => {
  writeFileSync(join(dataDir, 'clicks.duckdb'), 'log')
  writeFileSync(join(dataDir, 'clicks.duckdb.wal'), '')
  closed.write(known)
  rmSync(join(dataDir, 'clicks.duckdb.wal'))
  expect(closed.read('journal')).toBeUndefined()
})
