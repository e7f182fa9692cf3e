import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aRawClick } from '../../core/clicks/raw-click.builder.js'
import type { Target } from '../../core/links/link.js'
import { FileJournalReader } from './journal-reader.js'
import { encodeLine, Turn } from './row.js'
import { segmentAt } from './segments.js'

describe('the journal reader', () => {
  let directory: string
  let reader: FileJournalReader
  let damage: object[]
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shortlink-journal-'))
    damage = []
    reader = new FileJournalReader(directory, (found) => damage.push(found))
  })
  afterEach(() => {
    reader.close()
    rmSync(directory, { recursive: true })
  })

  /** Row numbers and the destinations of their first clicks. */
  const read = (row: number, clicks = 1000) =>
    reader.read(row, clicks).map(({ row, clicks }) => [row, clicks[0]?.destination])
  const fileOf = (firstRow: number) => segmentAt(directory, firstRow).file
  /** A line with a row of one click. */
  const aLine = (row: number, text: string) => encodeLine(reader.journalId, row, aRow(text)).toString()
  const write = (firstRow: number, ...lines: readonly string[]) => writeFileSync(fileOf(firstRow), lines.join(''))
  const writeRows = (firstRow: number, ...texts: readonly string[]) =>
    write(firstRow, ...texts.map((text, index) => aLine(firstRow + index, text)))

  it('finds nothing in an empty folder, and then rows that are written later', () => {
    expect(read(0)).toEqual([])
    writeRows(1, 'a')
    expect(read(0)).toEqual([[1, 'a']])
  })

  it('waits for a row that is still being written', () => {
    writeRows(1, 'a')
    expect(read(0)).toEqual([[1, 'a']])
    const line = Buffer.from(aLine(2, 'b€'))
    for (const [from, to] of [
      [0, 40],
      [40, line.length - 1],
    ]) {
      appendFileSync(fileOf(1), line.subarray(from, to))
      expect(read(1)).toEqual([])
    }
    appendFileSync(fileOf(1), line.subarray(-1))
    expect(read(1)).toEqual([[2, 'b€']])
    expect(read(2)).toEqual([])
  })

  it('forgets an incomplete row that the writer truncated', () => {
    writeRows(1, 'a')
    const whole = readFileSync(fileOf(1)).length
    appendFileSync(fileOf(1), aLine(2, 'lost').slice(0, 50))
    expect(read(0)).toEqual([[1, 'a']])
    expect(read(1)).toEqual([])
    truncateSync(fileOf(1), whole)
    appendFileSync(fileOf(1), aLine(2, 'b'))
    expect(read(1)).toEqual([[2, 'b']])
  })

  it('continues in the next file after a file that ends in an incomplete row', () => {
    write(1, aLine(1, 'a'), aLine(2, 'lost').slice(0, 50))
    expect(read(0)).toEqual([[1, 'a']])
    writeRows(2, 'b')
    expect(read(1)).toEqual([[2, 'b']])
    expect(read(0)).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    expect(damage).toEqual([])
  })

  it('reads multi-byte characters at every chunk boundary', () => {
    // Nine bytes of repeating text, shifted by one byte each time, so that a boundary falls on each of them.
    for (let shift = 0; shift < 9; shift++) {
      const texts = ['x'.repeat(shift), ...Array.from({ length: 8 }, (_, index) => `${'€😀ü'.repeat(10_000)}${index}`)]
      writeRows(1, ...texts)
      reader.close()
      expect(read(0)).toEqual(texts.map((text, index) => [index + 1, text]))
    }
    expect(damage).toEqual([])
  })

  it('reads rows that are longer than a chunk', () => {
    const long = 'é'.repeat(700_000)
    write(1, aLine(1, 'a'), aLine(2, long), aLine(3, 'b'), aLine(4, long).slice(0, 300_000))
    expect(read(0)).toEqual([
      [1, 'a'],
      [2, long],
      [3, 'b'],
    ])
    appendFileSync(fileOf(1), aLine(4, long).slice(300_000))
    expect(read(3)).toEqual([[4, long]])
  })

  it('returns about as many clicks as requested, and can continue at any row', () => {
    writeRows(1, 'a', 'b', 'c')
    writeRows(4, 'd', 'e', 'f')
    expect(read(0, 2).map(([row]) => row)).toEqual([1, 2])
    expect(read(2, 2).map(([row]) => row)).toEqual([3, 4])
    // As after a failed delivery.
    expect(read(2, 2).map(([row]) => row)).toEqual([3, 4])
    expect(read(5, 2)).toEqual([[6, 'f']])
    expect(read(0, 1)).toEqual([[1, 'a']])
    expect(read(8)).toEqual([])
    appendFileSync(fileOf(4), aLine(7, 'g') + aLine(8, 'h') + aLine(9, 'i'))
    expect(read(8)).toEqual([[9, 'i']])
  })

  it('deletes a released file that it has just read, and no file that is still needed', () => {
    writeRows(1, 'a')
    expect(read(0)).toEqual([[1, 'a']])
    writeRows(2, 'b', 'c')
    reader.release(1)
    expect(readdirSync(directory).sort()).toEqual(['0000000000000002.rows', 'id'])
    expect(read(1, 1)).toEqual([[2, 'b']])
    writeRows(4)
    reader.release(2)
    expect(read(2)).toEqual([[3, 'c']])
    reader.release(3)
    expect(readdirSync(directory).sort()).toEqual(['0000000000000004.rows', 'id'])
    expect(read(3)).toEqual([])
  })

  describe('on damage', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'] as const
    it.each<[string, (lines: readonly string[]) => string, readonly (readonly [number, string])[], number]>([
      ['a changed character', ([a, b = '', c, d]) => a + b.replace('https', 'httpx') + c + d, rowsOf(a, '', c, d), 1],
      ['a changed number', ([a, b = '', c, d]) => a + b.replace('-2 ', '-9 ') + c + d, rowsOf(a, '', c, d), 1],
      [
        'a row cut in two',
        ([a, b = '', c, d]) => `${a}${b.slice(0, 50)}\n${b.slice(50)}${c}${d}`,
        rowsOf(a, '', c, d),
        1,
      ],
      ['two rows run together', ([a, b = '', c, d]) => a + b.slice(0, -1) + c + d, rowsOf(a, '', '', d), 2],
      ['rows that are gone', ([a, , , d]) => `${a}${d}`, rowsOf(a, '', '', d), 2],
      ['foreign lines', ([a, b, c, d]) => `${a}foreign\n${b}\u0000\u0000\n${c}\n${d}`, rowsOf(a, b, c, d), 0],
      ['the same row once more', ([a, b, c, d]) => `${a}${b}${b}${c}${a}${d}`, rowsOf(a, b, c, d), 0],
    ])('skips exactly the lost rows, reports them once and counts them: %s', (_, damaged, expected, lost) => {
      const lines = [a, b, c, d].map((text, index) => aLine(index + 1, `https://${text}`))
      write(1, damaged(lines))
      expect(read(0)).toEqual(expected.map(([row, text]) => [row, `https://${text}`]))
      expect(reader.damagedRows).toBe(lost)
      expect(damage).toHaveLength(1)
      expect(damage[0]).toMatchObject({ file: fileOf(1), reason: 'damaged row' })
      // As after a failed delivery.
      expect(read(1)).toEqual(expected.slice(1).map(([row, text]) => [row, `https://${text}`]))
      expect(reader.damagedRows).toBe(lost)
    })

    it('waits at the end of a file until the next one shows how much was lost', () => {
      const halves = (row: number) => `${aLine(row, 'x').slice(0, 50)}\n${aLine(row, 'x').slice(50)}`
      write(1, aLine(1, 'a'), halves(2))
      expect(read(0)).toEqual([[1, 'a']])
      expect(read(1)).toEqual([])
      expect(damage).toHaveLength(1)
      appendFileSync(fileOf(1), aLine(3, 'c') + halves(4))
      expect(read(1)).toEqual([[3, 'c']])
      expect(reader.damagedRows).toBe(1)
      // A file with a successor is never written to.
      writeRows(6)
      expect(read(3)).toEqual([[5, undefined]])
      expect(reader.damagedRows).toBe(3)
      reader.release(5)
      expect(readdirSync(directory).sort()).toEqual(['0000000000000006.rows', 'id'])
    })

    it('ignores rows of another journal', () => {
      write(1, aLine(1, 'a'), encodeLine('another1', 2, aRow('b')).toString(), aLine(2, 'c'))
      expect(read(0)).toEqual([
        [1, 'a'],
        [2, 'c'],
      ])
    })
  })

  describe('on files of a former version', () => {
    const former = (firstRow: number) => fileOf(firstRow).replace(/rows$/, 'journal')

    it('reads them to their end and continues in current files', () => {
      writeFileSync(former(1), `${aRow('a')}\n\u0000\n${aRow('c')}\n`)
      writeFileSync(former(4), `${aRow('d')}\n`)
      writeRows(5, 'e')
      expect(read(0)).toEqual([
        [1, 'a'],
        [2, undefined],
        [3, 'c'],
        [4, 'd'],
        [5, 'e'],
      ])
      expect(reader.damagedRows).toBe(1)
      reader.release(4)
      expect(readdirSync(directory).sort()).toEqual(['0000000000000005.rows', 'id'])
    })

    it('sets them aside and reports it if they may have been counted already', () => {
      writeFileSync(former(1), `${aRow('a')}\n`)
      writeFileSync(join(directory, 'id'), '')
      const again = new FileJournalReader(directory, (found) => damage.push(found))
      expect(again.read(0, 100)).toEqual([])
      expect(damage).toEqual([{ file: `${former(1)}.unknown`, reason: expect.stringMatching(/id is lost/) }])
      again.close()
    })
  })
})

/** Numbers the rows; leaves out empty ones. */
function rowsOf(...texts: readonly string[]): readonly (readonly [number, string])[] {
  return texts.map((text, index) => [index + 1, text] as const).filter(([, text]) => text !== '')
}

const aTarget: Target = {
  address: 'sho.rt/a',
  linkId: 'sho.rt/a',
  groupGuid: 'Bgroup',
  longUrl: 'https://example.com/',
  createdAt: 0,
  expiresAt: undefined,
  deletedAt: undefined,
  rules: undefined,
}

/** A row of one click with this destination. */
function aRow(longUrl: string): string {
  const turn = new Turn()
  turn.add({ ...aTarget, longUrl }, aRawClick())
  return turn.encode()
}
