import { describe, expect, it } from 'vitest'
import { DomainNames } from '../domains/domains.js'
import { type ClickBatch, clicksOf, type LineRanges } from './click-batch.js'
import { type ImportLog, importClicks } from './import.js'
import type { ImportPiece, ImportSource, RejectedLine } from './import-prepare.js'
import type { JournalPosition } from './journal.js'
import { unknownLocation } from './locate.js'

/** A click log in memory: a batch is in it with its cursor and what it passed over, or not at all. */
class MemoryLog implements ImportLog {
  readonly counted = new Map<string, number>()
  readonly #cursors = new Map<string, number>()
  readonly #skippedRanges = new Map<string, number[]>()
  /** Says whether the next batch fails, and whether before or after it was written. */
  fails: () => 'before' | 'after' | undefined = () => undefined

  async cursor(journalId: string): Promise<number> {
    return this.#cursors.get(journalId) ?? 0
  }

  async skippedRanges(journalId: string): Promise<LineRanges> {
    return this.#skippedRanges.get(journalId) ?? []
  }

  async appendBatch(batch: ClickBatch, upTo: JournalPosition): Promise<void> {
    const fails = this.fails()
    if (fails === 'before') throw new Error('interrupted')
    const { journalId, row } = upTo
    expect(row).toBeGreaterThan(await this.cursor(journalId))
    for (const { address, total } of clicksOf(batch, upTo)) {
      this.counted.set(address, (this.counted.get(address) ?? 0) + (total || 1))
    }
    this.#cursors.set(journalId, row)
    this.#skippedRanges.set(journalId, [...(await this.skippedRanges(journalId)), ...batch.skippedRanges])
    if (fails === 'after') throw new Error('interrupted')
  }
}

/** A file in memory, in pieces of some lines. */
class MemoryFile implements ImportSource {
  readonly journalId = 'import-file'
  rejects: RejectedLine[] = []
  readonly #lines: readonly string[]
  readonly #pieceLines: number

  constructor(lines: readonly string[], pieceLines: number) {
    this.#lines = lines
    this.#pieceLines = pieceLines
  }

  async *linesAfter(line: number): AsyncGenerator<ImportPiece> {
    for (let from = line; from < this.#lines.length; from += this.#pieceLines) {
      const data = Buffer.from(
        this.#lines
          .slice(from, from + this.#pieceLines)
          .map((text) => `${text}\n`)
          .join(''),
      )
      const ends: number[] = []
      for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, end + 1)) ends.push(end)
      // Two pieces of sixteen megabytes are a batch: so a batch ends after each.
      yield { first: from + 1, data, ends, bytes: (from / this.#pieceLines + 1) * 16 * 1024 * 1024 }
    }
  }

  async forgetRejects(): Promise<void> {
    this.rejects = []
  }

  async reject(lines: readonly RejectedLine[]): Promise<void> {
    this.rejects.push(...lines)
  }
}

function anImport(lines: readonly string[], pieceLines = 3) {
  const [log, file, links] = [new MemoryLog(), new MemoryFile(lines, pieceLines), new Set<string>()]
  const targets = {
    importTargets: async (addresses: readonly string[]) =>
      new Map(
        addresses
          .filter((address) => links.has(address))
          .map((address) => [address, { address, linkId: address, groupGuid: 'B', destination: 'https://x.example/' }]),
      ),
  }
  const deps = {
    log,
    targets,
    geography: { location: () => unknownLocation },
    salts: { of: () => 'salt' },
    clock: { now: () => Date.parse('2026-11-15T00:00:00Z') },
    domainNames: new DomainNames([]),
  }
  return { log, file, links, run: () => importClicks(deps, file) }
}

const aLine = (link: string, more: object = {}) => JSON.stringify({ link, at: '2026-01-01 00:00:00', ...more })

describe('an import', () => {
  it('remembers nothing of a file of which nothing was counted', async () => {
    const { log, file, links, run } = anImport([aLine('sho.rt/a', { count: 40 }), aLine('sho.rt/b'), aLine('sho.rt/a')])
    const first = await run()
    expect(first).toMatchObject({ lines: 3, before: 0, imported: 0, rejected: 3, unknownLinks: 2 })
    expect(first.unknownExamples).toEqual(['sho.rt/a', 'sho.rt/b'])
    links.add('sho.rt/a').add('sho.rt/b')
    expect(await run()).toMatchObject({ before: 0, imported: 42, rejected: 0, unknownLinks: 0 })
    expect(file.rejects).toEqual([])
    expect(await run()).toMatchObject({ lines: 3, before: 3, imported: 0, rejected: 0 })
    expect(Object.fromEntries(log.counted)).toEqual({ 'sho.rt/a': 41, 'sho.rt/b': 1 })
  })

  it('names the first ten links that are unknown, and counts them all', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `sho.rt/${index}`)
    const { run } = anImport([...names, ...names].map((name) => aLine(name)))
    expect(await run()).toMatchObject({ rejected: 50, unknownLinks: 25, unknownExamples: names.slice(0, 10) })
  })

  it('tries rejected lines again run by run, each in its turn, and counts none twice', async () => {
    const lines = ['a', 'b', 'c', 'a', 'nonsense', 'c', 'b', 'd', 'a', 'c'].map((name) => aLine(`sho.rt/${name}`))
    lines[4] = '{'
    const { log, file, links, run } = anImport(lines)
    const rejected = () => file.rejects.map(({ line }) => line)
    links.add('sho.rt/a')
    expect(await run()).toMatchObject({ imported: 3, before: 0 })
    expect(rejected()).toEqual([2, 3, 5, 6, 7, 8, 10])
    links.add('sho.rt/c')
    expect(await run()).toMatchObject({ imported: 3, before: 3 })
    expect(rejected()).toEqual([2, 5, 7, 8])
    expect(await run()).toMatchObject({ imported: 0, before: 6, rejected: 4 })
    links.add('sho.rt/d')
    expect(await run()).toMatchObject({ imported: 1, before: 6 })
    links.add('sho.rt/b')
    expect(await run()).toMatchObject({ imported: 2, before: 7 })
    expect(rejected()).toEqual([5])
    expect(await run()).toMatchObject({ imported: 0, before: 9, rejected: 1 })
    expect(Object.fromEntries(log.counted)).toEqual({ 'sho.rt/a': 3, 'sho.rt/b': 2, 'sho.rt/c': 3, 'sho.rt/d': 1 })
  })

  it('ends exact, however often it is interrupted while links are made one by one', { timeout: 120_000 }, async () => {
    // Numbers as from a die, the same in every run.
    let seed = 7
    const dice = (sides: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * sides)
    }
    for (let round = 0; round < 40; round++) {
      const names = Array.from({ length: 1 + dice(6) }, (_, index) => `sho.rt/${round}-${index}`)
      const expected: Record<string, number> = {}
      const lines = Array.from({ length: dice(60) }, () => {
        const name = names[dice(names.length)] ?? ''
        const [count, kind] = [1 + dice(1000), dice(8)]
        if (kind === 0) return ''
        if (kind === 1) return 'bad'
        const ip = kind < 4 ? { ip: `203.0.113.${dice(9)}` } : {}
        expected[name] = (expected[name] ?? 0) + (kind % 2 === 0 ? count : 1)
        return aLine(name, { ...ip, ...(kind % 2 === 0 && { count }) })
      })
      const { log, file, links, run } = anImport(lines, 1 + dice(5))
      log.fails = () => (dice(3) === 0 ? (dice(2) === 0 ? 'before' : 'after') : undefined)
      while (links.size < names.length) {
        if (dice(2) === 0) links.add(names[dice(names.length)] ?? '')
        await run().catch((error: Error) => expect(error.message).toBe('interrupted'))
      }
      log.fails = () => undefined
      await run()
      expect(Object.fromEntries(log.counted)).toEqual(expected)
      const again = await run()
      expect(again).toMatchObject({ imported: 0 })
      expect(file.rejects.every(({ text }) => text === 'bad')).toBe(true)
    }
  })
})
