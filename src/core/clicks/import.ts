/**
 * Brings clicks from elsewhere into the click log. A file is a journal of its own: its id comes from its content and its
 * rows are its lines, so that the log's cursor, which is written with the clicks, says how far an import has come.
 * Whatever interrupts it, the next run goes on there, and a file that is in the log is not counted again. It knows
 * neither files nor threads: whoever runs it hands in the lines.
 */

import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../clock.js'
import { addressOf, parseAddress } from '../links/address.js'
import type { Click, RawClick } from './click.js'
import type { ClickLog } from './click-log.js'
import { type LineClick, readLine } from './import-line.js'
import type { Pipeline } from './pipeline.js'

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

/** Our choice: as many as our own clicks are delivered at most; reports wait behind a batch. */
const batchLines = 5_000
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
  const batches = new Batches(parts, journalId)
  // While the log writes one batch the next is read: the log's work is half done on threads of its own.
  let writing: Promise<Written> = Promise.resolve({ counts })

  async function write(batch: Batch): Promise<void> {
    const { clicks, rejected } = await batches.prepare(batch)
    counts = await settled(writing)
    onProgress(counts)
    // Before the clicks: what is in the log needs no second look.
    if (rejected.length > 0) await source.reject(rejected)
    const after: ImportCounts = {
      lines: batch.last,
      before,
      imported: counts.imported + clicks.length,
      rejected: counts.rejected + rejected.length,
      bytes: batch.bytes,
      examples: [...counts.examples, ...rejected].slice(0, fewExamples),
    }
    writing = parts.log.append(clicks, { journalId, row: batch.last }).then(
      () => ({ counts: after }),
      (error: unknown) => ({ error }),
    )
  }

  let batch = new Batch()
  let ended = true
  try {
    for await (const piece of source.linesAfter(before)) {
      batch.read(piece, parts.clock.now())
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

interface NumberedClick extends LineClick {
  readonly line: number
  readonly text: string
}

/** Some lines that are written together. */
class Batch {
  readonly clicks: NumberedClick[] = []
  readonly rejected: RejectedLine[] = []
  lines = 0
  last = 0
  bytes = 0

  read({ first, lines, bytes }: ImportPiece, now: number): void {
    for (const [index, text] of lines.entries()) {
      const line = first + index
      if (text === undefined) this.rejected.push({ line, reason: 'the line is too long', text: '' })
      else this.#add(line, text.trim(), now)
    }
    this.lines += lines.length
    this.last = first + lines.length - 1
    this.bytes = bytes
  }

  /** Trimmed: of line ends as others write them, and of the mark that some files begin with. */
  #add(line: number, text: string, now: number): void {
    if (text === '') return
    const read = readLine(text, now)
    if (typeof read === 'string') this.rejected.push({ line, reason: read, text })
    else this.clicks.push({ ...read, line, text })
  }
}

/** Turns lines into clicks: finds their links, and lets the pipeline do what it does with our own. */
class Batches {
  readonly #parts: ImportParts
  readonly #journalId: string
  /** By what the file calls them. Our choice: about 20 MB; a file has its links' clicks side by side or all over. */
  readonly #known = new RecentMap<string, ImportTarget | typeof unknown>(50_000)

  constructor(parts: ImportParts, journalId: string) {
    this.#parts = parts
    this.#journalId = journalId
  }

  async prepare(batch: Batch): Promise<{ clicks: readonly Click[]; rejected: readonly RejectedLine[] }> {
    const targets = await this.#targetsOf(batch.clicks)
    const rejected = [...batch.rejected]
    const found: Placed[] = []
    for (const click of batch.clicks) {
      const target = targets.get(click.link)
      if (target) found.push({ click, target })
      else rejected.push({ line: click.line, reason: `there is no short link ${click.link}`, text: click.text })
    }
    rejected.sort((one, other) => one.line - other.line)
    return { clicks: this.#enrich(found, batch.last), rejected }
  }

  async #targetsOf(clicks: readonly NumberedClick[]): Promise<ReadonlyMap<string, ImportTarget | undefined>> {
    const targets = new Map<string, ImportTarget | undefined>()
    const open = new Map<string, string>()
    for (const { link } of clicks) {
      if (targets.has(link) || open.has(link)) continue
      const known = this.#known.get(link)
      if (known === undefined) open.set(link, canonical(link) ?? '')
      else targets.set(link, known === unknown ? undefined : known)
    }
    if (open.size === 0) return targets
    const asked = [...new Set(open.values())].filter((address) => address !== '')
    const led = await this.#parts.targets.leads(asked)
    for (const [link, address] of open) {
      const target = led.get(address)
      targets.set(link, target)
      this.#known.set(link, target ?? unknown)
    }
    return targets
  }

  #enrich(found: readonly Placed[], row: number): readonly Click[] {
    const clicks = this.#parts.pipeline.enrich(this.#journalId, [{ row, clicks: found.map(rawClick) }])
    // Every field was checked, so that the pipeline has nothing to drop and the two lists go side by side.
    if (clicks.length !== found.length) throw new Error('the pipeline dropped a click of an import')
    return clicks.map((click, index) => completed(click, found[index]?.click))
  }
}

const unknown = Symbol('no such link')

interface Placed {
  readonly click: NumberedClick
  readonly target: ImportTarget
}

function canonical(link: string): string | undefined {
  const written = parseAddress(link)
  return written && addressOf(written.domain, written.backHalf)
}

function rawClick({ click, target }: Placed): RawClick {
  return {
    at: click.at,
    method: 'GET',
    address: target.address,
    linkId: target.linkId,
    groupGuid: target.groupGuid,
    destination: target.destination,
    scan: click.kind === 'scan',
    visitor: click.ip,
    userAgent: click.userAgent,
    referrer: click.referrer,
    language: '',
    purpose: '',
  }
}

/** What a line can say and a request cannot. */
function completed(click: Click, said: NumberedClick | undefined): Click {
  if (!said || (said.kind !== 'button' && said.place === undefined && said.ip !== '')) return click
  const visitorHash = said.ip === '' ? ownVisitor(click.visitorHash, said.line) : click.visitorHash
  return { ...click, ...said.place, kind: said.kind, visitorHash }
}

/** Our choice: without an address every click is a visitor of its own; all of them as one would be further off. */
function ownVisitor(hash: bigint, line: number): bigint {
  return BigInt.asUintN(64, hash ^ (BigInt(line) * 0x9e3779b97f4a7c15n))
}
