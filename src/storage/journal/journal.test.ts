import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { SqliteJournal } from './journal.js'
import { openJournalReader } from './journal-reader.js'

describe('the journal', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shortlink-journal-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('writes the clicks of one turn as one row, and answers only then', async () => {
    const journal = new SqliteJournal(directory, { durability: 'normal' })
    const answered: string[] = []
    journal.record(aTarget, aVisit({ userAgent: 'one' }), () => answered.push('one'))
    journal.record(aTarget, aVisit({ userAgent: 'two', method: 'HEAD', scan: true }), () => answered.push('two'))
    expect(answered).toEqual([])
    await nextTurn()
    expect(answered).toEqual(['one', 'two'])

    const reader = openJournalReader(directory)
    expect(reader.read(0, 100)).toEqual([
      {
        row: 1,
        clicks: [
          { ...aVisit({ userAgent: 'one' }), ...ofTarget },
          { ...aVisit({ userAgent: 'two', method: 'HEAD', scan: true }), ...ofTarget },
        ],
      },
    ])
    reader.close()
    journal.close()
  })

  it('goes on with the next row after a restart, under the same id', async () => {
    const first = new SqliteJournal(directory, { durability: 'full' })
    first.record(aTarget, aVisit(), () => {})
    first.close()
    const second = new SqliteJournal(directory, { durability: 'full' })
    expect(second.journalId).toBe(first.journalId)
    second.record(aTarget, aVisit(), () => {})
    await nextTurn()
    const reader = openJournalReader(directory)
    expect(reader.read(0, 100).map(({ row }) => row)).toEqual([1, 2])
    reader.close()
    second.close()
  })

  it('starts new files as it grows, is read across them in order, and loses them once released', async () => {
    const journal = new SqliteJournal(directory, { durability: 'normal', segmentBytes: 600 })
    const reader = openJournalReader(directory)
    for (let turn = 0; turn < 20; turn++) {
      journal.record(aTarget, aVisit({ at: turn }), () => {})
      await nextTurn()
    }
    expect(segments()).toBeGreaterThan(3)
    expect(reader.read(0, 1000).map(({ clicks }) => clicks[0]?.at)).toEqual(Array.from({ length: 20 }, (_, at) => at))
    expect(reader.read(7, 5).map(({ row }) => row)[0]).toBe(8)

    reader.release(20)
    expect(segments()).toBe(1)
    journal.record(aTarget, aVisit({ at: 99 }), () => {})
    await nextTurn()
    expect(reader.read(20, 1000).map(({ row, clicks }) => [row, clicks[0]?.at])).toEqual([[21, 99]])
    reader.close()
    journal.close()

    const again = new SqliteJournal(directory, { durability: 'normal' })
    expect(again.status().lastRow).toBe(21)
    again.close()
  })

  it('keeps rows that are not released', async () => {
    const journal = new SqliteJournal(directory, { durability: 'normal', segmentBytes: 1 })
    for (let turn = 0; turn < 4; turn++) {
      journal.record(aTarget, aVisit(), () => {})
      await nextTurn()
    }
    const reader = openJournalReader(directory)
    reader.release(2)
    expect(reader.read(2, 100).map(({ row }) => row)).toEqual([3, 4])
    reader.close()
    journal.close()
  })

  function segments(): number {
    return readdirSync(directory).filter((name) => name.endsWith('.sqlite')).length
  }
})

const aTarget: Target = {
  address: 'sho.rt/spring',
  linkId: 'sho.rt/3xYz12A',
  groupGuid: 'B1',
  longUrl: 'https://example.com/"quoted"',
  createdAt: 0,
  expiresAt: undefined,
  deletedAt: undefined,
  rules: undefined,
}
const ofTarget = {
  address: 'sho.rt/spring',
  linkId: 'sho.rt/3xYz12A',
  groupGuid: 'B1',
  destination: 'https://example.com/"quoted"',
}

function aVisit(change: Partial<Visit> = {}): Visit {
  return {
    at: 1_700_000_000_000,
    method: 'GET',
    scan: false,
    visitor: '127.0.0.1',
    userAgent: 'Mozilla/5.0',
    referrer: '',
    language: 'en',
    purpose: '',
    ...change,
  }
}
