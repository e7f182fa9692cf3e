/**
 * Brings clicks from elsewhere into the click log. A file is a journal of its own: its id comes from its content and its
 * rows are its lines, so that the log's cursor, which is written with the clicks, says how far an import has come.
 * Whatever interrupts it, the next run goes on there, and a file that is in the log is not counted again. It knows
 * neither files nor threads: whoever runs it hands in the lines.
 */

import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../clock.js'
import { addressOf, parseAddress } from '../links/address.js'
import type { Click } from './click.js'
import type { ClickLog } from './click-log.js'
import { type LineClick, LineReader } from './import-line.js'
import type { Draft, Pipeline } from './pipeline.js'

export interface ImportParts {
  readonly log: Pick<ClickLog, 'cursor' | 'append'>
  readonly pipeline: Pick<Pipeline, 'enrich'>
  readonly targets: ImportTargets
  readonly clock: Clock
}

export interface ImportTargets {
  /** Where these addresses lead at this moment, deleted and expired links too; unknown ones are left out. */
  leads(addresses: readonly string[]): Promise<ReadonlyMap<string, ImportTarget>>
}

export interface ImportTarget {
  readonly address: string
  /** Empty for a global hash, which nobody owns; likewise the group. */
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
}

/** Numbered lines, and a place for those that cannot be used. */
export interface ImportSource {
  /** The same for the same content, and for no other. */
  readonly journalId: string
  /** The lines after this one, in order and in handy pieces. */
  linesAfter(line: number): AsyncIterable<ImportPiece>
  /** Forgets what was rejected behind this line: an import that was interrupted will reject it again. */
  keepRejectsUpTo(line: number): Promise<void>
  reject(lines: readonly RejectedLine[]): Promise<void>
}

export interface ImportPiece {
  /** Number of the first line; the first of a file is 1. */
  readonly first: number
  /** Undefined where a line is too long to be one of ours. */
  readonly lines: readonly (string | undefined)[]
  /** Bytes of the file up to the end of the piece. */
  readonly bytes: number
}

export interface RejectedLine {
  readonly line: number
  readonly reason: string
  readonly text: string
}

export interface ImportCounts {
  /** Lines that were dealt with, by this run and by earlier ones. */
  readonly lines: number
  /** Those of earlier runs. */
  readonly before: number
  /** Clicks that this run brought into the log. */
  readonly imported: number
  readonly rejected: number
  readonly bytes: number
  /** The first lines that this run rejected. */
  readonly examples: readonly RejectedLine[]
}

export interface ImportOptions {
  /** Ends the import after the batch under way. */
  readonly signal?: AbortSignal
  readonly onProgress?: (counts: ImportCounts) => void
}

/** Our choice: a transaction of the log costs little more for so many than for half of them. */
const batchLines = 10_000
const fewExamples = 5

/** Answers `ended: false` when it was told to stop before the end. */
export async function importClicks(
  parts: ImportParts,
  source: ImportSource,
  { signal, onProgress = () => {} }: ImportOptions = {},
): Promise<ImportCounts & { readonly ended: boolean }> {
  const { journalId } = source
  const before = await parts.log.cursor(journalId)
  await source.keepRejectsUpTo(before)
  let counts: ImportCounts = { lines: before, before, imported: 0, rejected: 0, bytes: 0, examples: [] }
  const preparation = new Preparation(parts, journalId)
  // While the log writes one batch the next is read: the log's work is half done on threads of its own.
  let writing: Promise<Written> = Promise.resolve({ counts })

  async function write({ clicks, rejected, last, bytes }: Batch): Promise<void> {
    counts = await settled(writing)
    onProgress(counts)
    // Before the clicks: what is in the log needs no second look.
    if (rejected.length > 0) await source.reject(rejected)
    const after: ImportCounts = {
      lines: last,
      before,
      imported: counts.imported + clicks.length,
      rejected: counts.rejected + rejected.length,
      bytes,
      examples: [...counts.examples, ...rejected].slice(0, fewExamples),
    }
    writing = parts.log.append(clicks, { journalId, row: last }).then(
      () => ({ counts: after }),
      (error: unknown) => ({ error }),
    )
  }

  let batch = new Batch()
  let ended = true
  try {
    for await (const piece of source.linesAfter(before)) {
      // Piece by piece: what a line needs on its way is gone before the next piece comes, and others have their turn.
      batch.add(piece, await preparation.prepare(piece))
      if (batch.lines < batchLines) continue
      await write(batch)
      batch = new Batch()
      ended = !signal?.aborted
      if (!ended) break
    }
    if (ended && batch.lines > 0) await write(batch)
  } finally {
    // Whatever went wrong, nothing of this import is under way any more when it is over.
    await writing
  }
  counts = await settled(writing)
  onProgress(counts)
  return { ...counts, ended }
}

type Written = { readonly counts: ImportCounts } | { readonly error: unknown }

async function settled(writing: Promise<Written>): Promise<ImportCounts> {
  const written = await writing
  if ('error' in written) throw written.error
  return written.counts
}

interface Prepared {
  readonly clicks: readonly Click[]
  readonly rejected: readonly RejectedLine[]
}

/** Some lines that are written together. */
class Batch {
  readonly clicks: Click[] = []
  readonly rejected: RejectedLine[] = []
  lines = 0
  last = 0
  bytes = 0

  add(piece: ImportPiece, { clicks, rejected }: Prepared): void {
    this.clicks.push(...clicks)
    this.rejected.push(...rejected)
    this.lines += piece.lines.length
    this.last = lastOf(piece)
    this.bytes = piece.bytes
  }
}

/** Turns lines into clicks: finds their links, and lets the pipeline do what it does with our own. */
class Preparation {
  readonly #parts: ImportParts
  readonly #journalId: string
  readonly #reader: LineReader
  /** By what the file calls them. Our choice: about 20 MB; a file has its links' clicks side by side or all over. */
  readonly #known = new RecentMap<string, ImportTarget | typeof unknown>(50_000)

  constructor(parts: ImportParts, journalId: string) {
    this.#parts = parts
    this.#journalId = journalId
    this.#reader = new LineReader(parts.clock.now())
  }

  async prepare(piece: ImportPiece): Promise<Prepared> {
    const clicks: LineClick[] = []
    const rejected: RejectedLine[] = []
    let line = piece.first - 1
    for (const text of piece.lines) {
      line++
      // Trimmed: of line ends as others write them, and of the mark that some files begin with.
      const read = text === undefined ? 'the line is too long' : this.#read(text.trim(), line)
      if (typeof read === 'string') rejected.push({ line, reason: read, text: text ?? '' })
      else if (read) clicks.push(read)
    }
    await this.#findTargets(clicks)
    const found = clicks.filter(({ address }) => address !== '')
    if (found.length < clicks.length) {
      for (const { address, line, link } of clicks) {
        if (address !== '') continue
        rejected.push({ line, reason: `there is no short link ${link}`, text: piece.lines[line - piece.first] ?? '' })
      }
      rejected.sort((one, other) => one.line - other.line)
    }
    return { clicks: this.#enrich(found, lastOf(piece)), rejected }
  }

  #read(text: string, line: number): LineClick | string | undefined {
    return text === '' ? undefined : this.#reader.read(text, line)
  }

  /** Those whose link does not exist are left without an address. */
  async #findTargets(clicks: readonly LineClick[]): Promise<void> {
    const open = new Map<string, LineClick[]>()
    for (const click of clicks) {
      const known = this.#known.get(click.link)
      if (known === undefined) open.set(click.link, [...(open.get(click.link) ?? []), click])
      else if (known !== unknown) lead(click, known)
    }
    if (open.size === 0) return
    const addresses = new Map(Array.from(open.keys(), (link) => [link, canonical(link)]))
    const asked = new Set(Array.from(addresses.values()).filter((address) => address !== undefined))
    const led = await this.#parts.targets.leads([...asked])
    for (const [link, waiting] of open) {
      const target = led.get(addresses.get(link) ?? '')
      this.#known.set(link, target ?? unknown)
      if (target) for (const click of waiting) lead(click, target)
    }
  }

  #enrich(found: readonly LineClick[], row: number): readonly Click[] {
    const clicks = this.#parts.pipeline.enrich(this.#journalId, [{ row, clicks: found }])
    // Every field was checked, so that the pipeline has nothing to drop and the two lists go side by side.
    if (clicks.length !== found.length) throw new Error('the pipeline dropped a click of an import')
    let index = 0
    for (const click of clicks) complete(click, found[index++])
    return clicks
  }
}

const unknown = Symbol('no such link')

function lastOf({ first, lines }: ImportPiece): number {
  return first + lines.length - 1
}

function canonical(link: string): string | undefined {
  const written = parseAddress(link)
  return written && addressOf(written.domain, written.backHalf)
}

function lead(click: LineClick, { address, linkId, groupGuid, destination }: ImportTarget): void {
  click.address = address
  click.linkId = linkId
  click.groupGuid = groupGuid
  click.destination = destination
}

/** What a line can say and a request cannot. */
function complete(click: Draft, said: LineClick | undefined): void {
  if (!said) return
  click.kind = said.kind
  if (said.visitor === '') click.visitorHash = ownVisitor(click.visitorHash, said.line)
  if (!said.place) return
  click.country = said.place.country
  click.region = said.place.region
  click.subregion = said.place.subregion
  click.city = said.place.city
}

/** Our choice: without an address every click is a visitor of its own; all of them as one would be further off. */
function ownVisitor(hash: bigint, line: number): bigint {
  return BigInt.asUintN(64, hash ^ (BigInt(line) * 0x9e3779b97f4a7c15n))
}
