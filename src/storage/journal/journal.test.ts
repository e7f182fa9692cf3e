import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type JournalReader, rowsAfter, type Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { OperatorError } from '../../lib/operator-error.js'
import { sampleOf } from '../../lib/sample.builder.js'
import { FileJournal } from './journal.js'
import { openJournalReader } from './journal-reader.js'
import { segmentsIn } from './segments.js'

const canLimit = spawnSync('prlimit', ['--version']).status === 0
const canForbidCutting = process.getuid?.() === 0 && forbidsCutting()

describe('the journal', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shortlink-journal-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('writes the clicks of one turn as one row before it answers', async () => {
    const journal = new FileJournal(directory, { durability: 'normal' })
    const answered: string[] = []
    journal.record(aTarget, aVisit({ userAgent: 'one' }), () => answered.push('one'))
    journal.record(aTarget, aVisit({ userAgent: 'two', method: 'HEAD', kind: 'scan' }), () => answered.push('two'))
    expect(answered).toEqual([])
    await nextTurn()
    expect(answered).toEqual(['one', 'two'])

    const reader = openJournalReader(directory)
    expect(reader.read(0, 100)).toEqual([
      {
        row: 1,
        clicks: [
          { ...aVisit({ userAgent: 'one' }), ...ofTarget },
          { ...aVisit({ userAgent: 'two', method: 'HEAD', kind: 'scan' }), ...ofTarget },
        ],
      },
    ])
    reader.close()
    journal.close()
  })

  it('reports in one sentence that its folder cannot be used', () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const sentence = /^Cannot use the journal .*file \(EEXIST.*\)\. It must be a folder/
    for (const open of [() => new FileJournal(file, { durability: 'normal' }), () => openJournalReader(file)]) {
      expect(open).toThrow(OperatorError)
      expect(open).toThrow(sentence)
    }
  })

  it('continues with the next row after a restart, with the same id', async () => {
    const first = new FileJournal(directory, { durability: 'full' })
    first.record(aTarget, aVisit(), () => {})
    first.close()
    const second = new FileJournal(directory, { durability: 'full' })
    expect(second.journalId).toBe(first.journalId)
    second.record(aTarget, aVisit(), () => {})
    await nextTurn()
    const reader = openJournalReader(directory)
    expect(reader.read(0, 100).map(({ row }) => row)).toEqual([1, 2])
    reader.close()
    second.close()
  })

  it('skips the numbers of rows that were delivered but lost from the journal', async () => {
    const first = new FileJournal(directory, { durability: 'normal' })
    first.record(aTarget, aVisit({ userAgent: 'one' }), () => {})
    first.close()
    // After its own rows, and with no rows at all.
    for (const delivered of [4, 9]) {
      const journal = new FileJournal(directory, { durability: 'normal', delivered })
      expect(journal.status().lastRow).toBe(delivered)
      journal.record(aTarget, aVisit({ userAgent: `after ${delivered}` }), () => {})
      journal.close()
      if (delivered === 9) continue
      const reader = openJournalReader(directory)
      expect(readAll(reader, 0)).toEqual([1, 5])
      expect(reader.read(4, 100).map(({ row }) => row)).toEqual([5])
      reader.close()
      for (const { file } of segmentsIn(directory)) rmSync(file)
    }
    const reader = openJournalReader(directory)
    expect(reader.read(9, 100).map(({ row, clicks }) => [row, clicks[0]?.userAgent])).toEqual([[10, 'after 9']])
    reader.close()
    const again = new FileJournal(directory, { durability: 'normal', delivered: 9 })
    expect(again.status().lastRow).toBe(10)
    again.close()
  })

  it.each(['the file', 'the folder'])('writes its rows again when %s is deleted, and goes on', async (what) => {
    const told: unknown[] = []
    const journal = new FileJournal(directory, { durability: 'normal', onHarm: (harm) => told.push(harm) })
    const reader = openJournalReader(directory)
    await recordIn(journal, { at: 1 })
    expect(reader.read(0, 100)).toHaveLength(1)
    rmSync(what === 'the file' ? lastFile() : directory, { recursive: true })
    await recordIn(journal, { at: 2 })
    await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 60_000 })
    await recordIn(journal, { at: 3 })
    expect(files()).toEqual([rows(1), rows(3)])
    expect(reader.read(1, 100).map(({ row }) => row)).toEqual([2, 3])
    reader.close()
    // As after a restart.
    const another = openJournalReader(directory)
    expect(another.journalId).toBe(journal.journalId)
    expect(another.read(0, 100).map(({ row, clicks }) => [row, clicks[0]?.at])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(another.damagedRows).toBe(0)
    another.close()
    journal.close()
  })

  it('goes on in a new file when its file is truncated, and the reader counts what is lost', async () => {
    const told: { readonly harm: string }[] = []
    const journal = new FileJournal(directory, { durability: 'normal', onHarm: (harm) => told.push(harm) })
    const reader = openJournalReader(directory)
    await recordIn(journal, { at: 1 })
    expect(reader.read(0, 100)).toHaveLength(1)
    for (const at of [2, 3]) await recordIn(journal, { at })
    truncateSync(lastFile())
    expect(reader.read(1, 100)).toEqual([])
    await recordIn(journal, { at: 4 })
    await vi.waitFor(() => expect(told.map(({ harm }) => harm)).toEqual(['truncated']), { timeout: 60_000 })
    await recordIn(journal, { at: 5 })
    expect(readAll(reader, 1)).toEqual([4, 5])
    expect(reader.damagedRows).toBe(2)
    reader.close()
    journal.close()
  })

  it('misses rows whose file was deleted or truncated while nobody ran, but none that were skipped or delivered', async () => {
    const first = new FileJournal(directory, { durability: 'normal', segmentBytes: 1 })
    for (const at of [1, 2, 3, 4]) await recordIn(first, { at })
    first.close()
    const [, second = '', third = ''] = segmentsIn(directory).map(({ file }) => file)
    rmSync(second)
    truncateSync(third)
    new FileJournal(directory, { durability: 'normal', delivered: 'unknown' }).close()
    const lost = (row: number) => {
      const damages: unknown[] = []
      const reader = openJournalReader(directory, (damage) => damages.push(damage))
      readAll(reader, row)
      reader.close()
      return [reader.damagedRows, damages.length]
    }
    expect(lost(0)).toEqual([2, 2])
    expect(lost(1)).toEqual([2, 2])
    expect(lost(2)).toEqual([1, 1])
    expect(lost(3)).toEqual([0, 0])
    expect(lost(4)).toEqual([0, 0])
    for (const { file } of segmentsIn(directory).slice(0, -1)) rmSync(file)
    // A new click log does not know the journal; another one misses what it did not get.
    expect(lost(0)).toEqual([0, 0])
    expect(lost(2)).toEqual([2, 1])
    expect(lost(4)).toEqual([0, 0])
  })

  it('does not take skipped numbers for rows that wait', async () => {
    for (const recorded of [1, 2]) {
      const journal = new FileJournal(directory, { durability: 'normal', delivered: 'unknown' })
      await recordIn(journal, { at: recorded })
      expect(rowsAfter(journal.status(), 0)).toBe(recorded)
      expect(rowsAfter(journal.status(), journal.status().lastRow)).toBe(0)
      journal.close()
    }
  })

  it('rotates after a while, at stop and at start, but only a file with rows', async () => {
    const journal = new FileJournal(directory, { durability: 'normal', segmentAge: 20 })
    const reader = openJournalReader(directory)
    await recordIn(journal, { at: 1 })
    await vi.waitFor(() => expect(files()).toEqual([rows(1), rows(2)]), 60_000)
    expect(reader.read(0, 100)).toHaveLength(1)
    reader.release(1)
    expect(files()).toEqual([rows(2)])
    await recordIn(journal, { at: 2 })
    journal.close()
    reader.release(2)
    // Its name keeps the number of the next row.
    expect(files()).toEqual([rows(3)])
    expect(statSync(lastFile()).size).toBe(0)

    const killed = new FileJournal(directory, { durability: 'normal' })
    await recordIn(killed, { at: 3 })
    const next = new FileJournal(directory, { durability: 'normal' })
    expect(files()).toEqual([rows(3), rows(4)])
    expect(reader.read(2, 100).map(({ row, clicks }) => [row, clicks[0]?.at])).toEqual([[3, 3]])
    reader.release(3)
    next.close()
    new FileJournal(directory, { durability: 'normal' }).close()
    expect(files()).toEqual([rows(4)])
    reader.close()
  })

  it.each(['is lost', 'is empty', 'names another journal'])('keeps its id when the file %s', async (what) => {
    const first = new FileJournal(directory, { durability: 'normal' })
    await recordIn(first, { at: 1 })
    const file = join(directory, 'id')
    if (what === 'is lost') rmSync(file)
    else writeFileSync(file, what === 'is empty' ? '' : 'another1')
    const reader = openJournalReader(directory)
    expect(reader.journalId).toBe(first.journalId)
    expect(readFileSync(file, 'utf8')).toBe(first.journalId)
    reader.close()
    first.close()
  })

  it('truncates what visitors send to the documented lengths', async () => {
    const journal = new FileJournal(directory, { durability: 'normal' })
    const long = '€'.repeat(5000)
    await recordIn(journal, { visitor: long, userAgent: long, referrer: long, language: long, purpose: long })
    expect(statSync(lastFile()).size).toBeLessThan(6000)
    journal.close()
    const reader = openJournalReader(directory)
    const [click] = reader.read(0, 100)[0]?.clicks ?? []
    expect(click).toMatchObject({ userAgent: '€'.repeat(341), referrer: '€'.repeat(682), language: '€'.repeat(85) })
    reader.close()
  })

  it('rotates by size, is read across files in order, and deletes released files', async () => {
    const journal = new FileJournal(directory, { durability: 'normal', segmentBytes: 600 })
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

    const again = new FileJournal(directory, { durability: 'normal' })
    expect(again.status().lastRow).toBe(21)
    again.close()
  })

  it('truncates an incomplete row of a crashed process at start, and continues after the last complete row', async () => {
    const first = new FileJournal(directory, { durability: 'normal' })
    for (let turn = 0; turn < 3; turn++) await recordIn(first, { at: turn })
    appendFileSync(lastFile(), '0badcafe abc-4 [1,1700000000000,["203.0.113.7","Mozi')

    const second = new FileJournal(directory, { durability: 'normal' })
    expect(second.status().lastRow).toBe(3)
    await recordIn(second, { at: 3 })
    second.close()
    expect(times()).toEqual([0, 1, 2, 3])
  })

  it('starts on a file that contains only an incomplete row', async () => {
    new FileJournal(directory, { durability: 'normal' }).close()
    appendFileSync(lastFile(), '0badca')
    const journal = new FileJournal(directory, { durability: 'normal' })
    expect(journal.status().lastRow).toBe(0)
    await recordIn(journal, { at: 5 })
    journal.close()
    expect(times()).toEqual([5])
  })

  it('writes rows of any length and any characters', async () => {
    const journal = new FileJournal(directory, { durability: 'normal' })
    const referrers = ['https://example.com/ü€😀', `https://example.com/${'é'.repeat(1_000)}`, 'https://example.com/\n']
    for (const referrer of referrers) await recordIn(journal, { referrer })
    const longUrl = `https://example.com/${'é'.repeat(200_000)}`
    await new Promise<void>((answered) => journal.record({ ...aTarget, longUrl }, aVisit({ referrer: '' }), answered))
    journal.close()
    const reader = openJournalReader(directory)
    const read = reader.read(0, 100).map(({ clicks }) => clicks[0])
    expect(read.map((click) => click?.referrer)).toEqual([...referrers, ''])
    expect(read.at(-1)?.destination).toBe(longUrl)
    reader.close()
  })

  // The kernel rejects writes past the limit like a full disk: it writes a part first, then nothing.
  describe.skipIf(!canLimit)(`on a full disk${canLimit ? '' : ' (skipped: no prlimit on this machine)'}`, () => {
    afterEach(() => limitFiles('unlimited'))

    it('still answers, counts lost clicks, leaves no incomplete row, and recovers', async () => {
      const changes: (string | undefined)[] = []
      const journal = new FileJournal(directory, { durability: 'normal', onChange: (failure) => changes.push(failure) })
      await recordIn(journal, { at: 1 })
      const whole = readFileSync(lastFile())

      limitFiles(whole.length + 20)
      for (const at of [2, 3]) await recordIn(journal, { at })
      limitFiles('unlimited')
      expect(journal.status()).toMatchObject({ lastRow: 1, recorded: 1, lost: 2 })
      expect(changes).toEqual([expect.stringContaining('EFBIG')])
      expect(readFileSync(lastFile())).toEqual(whole)

      await recordIn(journal, { at: 4 })
      expect(journal.status()).toMatchObject({ lastRow: 2, recorded: 2, lost: 2 })
      journal.close()
      expect(times()).toEqual([1, 4])
    })

    it('writes rows that still fit', async () => {
      const journal = new FileJournal(directory, { durability: 'full' })
      await recordIn(journal, { at: 1 })
      limitFiles(statSync(lastFile()).size * 2 + 20)
      await recordIn(journal, { at: 2, referrer: 'x'.repeat(1000) })
      await recordIn(journal, { at: 3 })
      limitFiles('unlimited')
      expect(journal.status()).toMatchObject({ lastRow: 2, recorded: 2, lost: 1 })
      journal.close()
      expect(times()).toEqual([1, 3])
    })

    it.skipIf(!canForbidCutting)(
      `continues in a new file if an incomplete row cannot be truncated${canForbidCutting ? '' : ' (skipped: needs root and chattr)'}`,
      async () => {
        const journal = new FileJournal(directory, { durability: 'normal' })
        await recordIn(journal, { at: 1 })
        const torn = lastFile()
        limitFiles(statSync(torn).size + 20)
        execFileSync('chattr', ['+a', torn])
        try {
          await recordIn(journal, { at: 2 })
          limitFiles('unlimited')
          await recordIn(journal, { at: 3 })
        } finally {
          execFileSync('chattr', ['-a', torn])
        }
        expect(segments()).toBe(2)
        expect(journal.status()).toMatchObject({ lastRow: 2, recorded: 2, lost: 1 })
        journal.close()
        expect(times()).toEqual([1, 3])
      },
    )
  })

  it('keeps rows that are not released', async () => {
    const journal = new FileJournal(directory, { durability: 'normal', segmentBytes: 1 })
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
    return files().length
  }

  function rows(firstRow: number): string {
    return `${String(firstRow).padStart(16, '0')}.rows`
  }

  function lastFile(): string {
    return join(directory, files().at(-1) ?? 'none')
  }

  function files(): string[] {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.rows'))
      .sort()
  }

  /** The times of all clicks, as a reader finds them. */
  function times(): number[] {
    const reader = openJournalReader(directory)
    const rows = reader.read(0, 1000)
    reader.close()
    expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1))
    return rows.flatMap(({ clicks }) => clicks.map(({ at }) => at))
  }
})

/** Records a click in its own event-loop turn; resolves once it was answered. */
function recordIn(journal: FileJournal, change: Partial<Visit>): Promise<void> {
  return new Promise((answered) => journal.record(aTarget, aVisit(change), answered))
}

/** Sets the maximum file size of this process, in bytes. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
}

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

const aVisit = sampleOf<Visit>({
  at: 1_700_000_000_000,
  method: 'GET',
  kind: 'click',
  site: '',
  visitor: '127.0.0.1',
  userAgent: 'Mozilla/5.0',
  referrer: '',
  language: 'en',
  purpose: '',
})

/** Only some file systems support append-only files. */
function forbidsCutting(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-journal-'))
  const forbidden = spawnSync('chattr', ['+a', directory]).status === 0
  if (forbidden) execFileSync('chattr', ['-a', directory])
  rmSync(directory, { recursive: true })
  return forbidden
}

/** The rows that have clicks. */
function readAll(reader: JournalReader, row: number): number[] {
  const found: number[] = []
  for (let rows = reader.read(row, 100); rows.length > 0; rows = reader.read(rows.at(-1)?.row ?? row, 100)) {
    found.push(...rows.filter(({ clicks }) => clicks.length > 0).map((each) => each.row))
  }
  return found
}
