import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unknownPlace } from '../../core/clicks/locate.js'
import { createPipeline } from '../../core/clicks/pipeline.js'
import { aRawClick } from '../../core/clicks/raw-click.builder.js'
import type { Target } from '../../core/links/link.js'
import { FileJournalReader } from './journal-reader.js'
import { Turn } from './row.js'
import { segmentAt } from './segments.js'

describe('the journal reader', () => {
  let directory: string
  let reader: FileJournalReader
  let damage: { file: string; row: number }[]
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shortlink-journal-'))
    damage = []
    reader = new FileJournalReader(directory, (found) => damage.push(found))
  })
  afterEach(() => {
    reader.close()
    rmSync(directory, { recursive: true })
  })

  /** Row numbers and what their first clicks carry. */
  const read = (row: number, clicks = 1000) =>
    reader.read(row, clicks).map(({ row, clicks }) => [row, clicks[0]?.referrer])
  const fileOf = (firstRow: number) => segmentAt(directory, firstRow).file
  const write = (firstRow: number, ...lines: readonly string[]) => writeFileSync(fileOf(firstRow), lines.join(''))

  it('finds nothing in an empty folder, and what is written later', () => {
    expect(read(0)).toEqual([])
    write(1, aLine('a'))
    expect(read(0)).toEqual([[1, 'a']])
  })

  it('waits for the end of a row that the writer is in the middle of', () => {
    write(1, aLine('a'))
    expect(read(0)).toEqual([[1, 'a']])
    const line = Buffer.from(aLine('b€'))
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

  it('forgets half a row that the writer cut off again', () => {
    write(1, aLine('a'))
    const whole = Buffer.byteLength(aLine('a'))
    appendFileSync(fileOf(1), aLine('lost').slice(0, 50))
    expect(read(0)).toEqual([[1, 'a']])
    expect(read(1)).toEqual([])
    truncateSync(fileOf(1), whole)
    appendFileSync(fileOf(1), aLine('b'))
    expect(read(1)).toEqual([[2, 'b']])
  })

  it('goes on in the next file although the one before ends in half a row', () => {
    write(1, aLine('a'), aLine('lost').slice(0, 50))
    expect(read(0)).toEqual([[1, 'a']])
    write(2, aLine('b'))
    expect(read(1)).toEqual([[2, 'b']])
    expect(read(0)).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    expect(damage).toEqual([])
  })

  it('reads characters of several bytes wherever a piece of the file happens to end', () => {
    // Nine bytes of text that repeat, moved by a byte each time: a border falls on each of them.
    for (let shift = 0; shift < 9; shift++) {
      const texts = ['x'.repeat(shift), ...Array.from({ length: 8 }, (_, index) => `${'€😀ü'.repeat(10_000)}${index}`)]
      write(1, ...texts.map(aLine))
      reader.close()
      expect(read(0)).toEqual(texts.map((text, index) => [index + 1, text]))
    }
    expect(damage).toEqual([])
  })

  it('reads rows that are longer than a piece', () => {
    const long = 'é'.repeat(700_000)
    write(1, aLine('a'), aLine(long), aLine('b'), aLine(long).slice(0, 300_000))
    expect(read(0)).toEqual([
      [1, 'a'],
      [2, long],
      [3, 'b'],
    ])
    appendFileSync(fileOf(1), aLine(long).slice(300_000))
    expect(read(3)).toEqual([[4, long]])
  })

  it('answers about as many clicks as asked for, and finds its place again wherever it is sent', () => {
    write(1, ...['a', 'b', 'c'].map(aLine))
    write(4, ...['d', 'e', 'f'].map(aLine))
    expect(read(0, 2).map(([row]) => row)).toEqual([1, 2])
    expect(read(2, 2).map(([row]) => row)).toEqual([3, 4])
    // As after a delivery that failed.
    expect(read(2, 2).map(([row]) => row)).toEqual([3, 4])
    expect(read(5, 2)).toEqual([[6, 'f']])
    expect(read(0, 1)).toEqual([[1, 'a']])
    expect(read(8)).toEqual([])
    appendFileSync(fileOf(4), ['g', 'h', 'i'].map(aLine).join(''))
    expect(read(8)).toEqual([[9, 'i']])
  })

  it('deletes the file it has just read when it is released, and no file that is still needed', () => {
    write(1, aLine('a'))
    expect(read(0)).toEqual([[1, 'a']])
    write(2, aLine('b'), aLine('c'))
    reader.release(1)
    expect(readdirSync(directory).sort()).toEqual(['0000000000000002.journal', 'id'])
    expect(read(1, 1)).toEqual([[2, 'b']])
    write(4)
    reader.release(2)
    expect(read(2)).toEqual([[3, 'c']])
    reader.release(3)
    expect(readdirSync(directory).sort()).toEqual(['0000000000000004.journal', 'id'])
    expect(read(3)).toEqual([])
  })

  it('does not stop at a damaged row: it is told once a file, dropped and counted, and the others keep their numbers', () => {
    write(1, aLine('a'), '\u0000\u0000\u0000\n', aLine('b').slice(30), '\n', aLine('c'))
    write(6, aLine('d'), 'foreign\n')
    const rows = reader.read(0, 1000)
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(damage).toEqual([
      { file: fileOf(1), row: 2 },
      { file: fileOf(6), row: 7 },
    ])
    const pipeline = createPipeline({
      geography: { place: () => unknownPlace },
      salts: { of: () => 'salt' },
      trustProxy: 0,
    })
    const kept = pipeline.enrich('journal', rows).map(({ eventId }) => eventId)
    expect(kept).toEqual(['journal-1-0', 'journal-5-0', 'journal-6-0'])
    expect(pipeline.dropped.get('malformed')).toBe(4)
  })
})

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

/** A row of one click, as it stands in the file. */
function aLine(referrer: string): string {
  const turn = new Turn()
  turn.add(aTarget, aRawClick({ referrer }))
  return `${turn.encode()}\n`
}
