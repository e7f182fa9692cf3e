/** Turns the lines of a click file into batches of clicks: finds their links and adds the fields that the pipeline adds. */
import type { DomainNames } from '../domains/domains.js'
import { parseForeignAddress } from '../values/address.js'
import type { ClickBatch } from './click-batch.js'
import type { ClickStore } from './click-store.js'
import { visitKinds } from './dimensions.js'
import { type LineClick, readLine } from './import-line.js'
import { ImportTables } from './import-tables.js'
import type { Geography } from './locate.js'
import type { DailySalts } from './visitor.js'
import { type HalfBlock, VisitorNumbers } from './visitor-numbers.js'

export interface PrepareDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  readonly targets: Pick<ClickStore, 'importTargets'>
  readonly domainNames: DomainNames
}

/** Bytes. Several times the longest real user agent and referrer. */
export const maxLineLength = 64 * 1024

interface Prepared {
  readonly clicks: Omit<ClickBatch, 'skippedRanges'>
  readonly rejected: readonly RejectedLine[]
}

/** A valid line. */
interface ReadLine {
  readonly line: number
  readonly text: string
  readonly click: LineClick
}

/** Estimated bytes. Above this the tables are cleared; frequent values are soon known again. */
const maxTableBytes = 50_000_000

/** Distinct unknown links that are counted. */
const maxUnknown = 100_000
const unknownExamples = 10

export class Preparation {
  readonly #targets: Pick<ClickStore, 'importTargets'>
  readonly #domainNames: DomainNames
  readonly #now: number
  readonly #numbers: VisitorNumbers
  readonly #newTables: () => ImportTables
  #tables: ImportTables
  #rows = new Rows()
  #rejected: RejectedLine[] = []
  readonly #unknown = new Set<string>()

  /** Rejects lines with a time after `now`. */
  constructor({ geography, salts, targets, domainNames }: PrepareDeps, now: number) {
    this.#targets = targets
    this.#domainNames = domainNames
    this.#now = now
    this.#numbers = new VisitorNumbers(salts)
    this.#newTables = () => new ImportTables(geography)
    this.#tables = this.#newTables()
  }

  /** Links that do not exist, as written in the file. */
  get unknown(): { readonly unknownLinks: number; readonly unknownExamples: readonly string[] } {
    const first: string[] = []
    for (const link of this.#unknown) {
      if (first.length === unknownExamples) break
      first.push(link)
    }
    return { unknownLinks: this.#unknown.size, unknownExamples: first }
  }

  /** Skips lines for which `wanted` is false. */
  async add(piece: ImportPiece, wanted?: (line: number) => boolean): Promise<void> {
    const lines = this.#read(piece, wanted)
    await this.#findTargets(lines)
    for (const { line, text, click } of lines) {
      const target = this.#tables.targetOf(click.link)
      if (target !== undefined) this.#count(click, target, line)
      else this.#rejected.push({ line, reason: `there is no short link ${click.link}`, text })
    }
  }

  /** Returns everything added since the last call. */
  take(): Prepared {
    const clicks = this.#rows.batch(this.#tables, this.#numbers)
    const rejected = this.#rejected.sort((one, other) => one.line - other.line)
    this.#rows = new Rows()
    this.#rejected = []
    if (this.#tables.weight > maxTableBytes) this.#tables = this.#newTables()
    return { clicks, rejected }
  }

  #read({ first, data, ends }: ImportPiece, wanted?: (line: number) => boolean): readonly ReadLine[] {
    const lines: ReadLine[] = []
    let start = 0
    let line = first - 1
    for (const end of ends) {
      const from = start
      start = end + 1
      line++
      // An earlier run counted it.
      if (wanted && !wanted(line)) continue
      if (end - from > maxLineLength) {
        this.#rejected.push({ line, reason: 'the line is too long', text: '' })
        continue
      }
      const text = data.toString('utf8', from, end)
      // Removes carriage returns and a byte order mark.
      const trimmed = text.trim()
      if (trimmed === '') continue
      const click = readLine(trimmed, this.#now)
      if (typeof click === 'string') this.#rejected.push({ line, reason: click, text })
      else lines.push({ line, text, click })
    }
    return lines
  }

  /** Looks up all unknown links in one query. */
  async #findTargets(lines: readonly ReadLine[]): Promise<void> {
    const open = new Map<string, string | undefined>()
    for (const { click } of lines) {
      if (!this.#tables.hasLink(click.link)) open.set(click.link, this.#addressOf(click.link))
    }
    if (open.size === 0) return
    const addresses = new Set([...open.values()].filter((address) => address !== undefined))
    const targets = await this.#targets.importTargets([...addresses])
    for (const [link, address] of open) {
      const target = targets.get(address ?? '')
      this.#tables.setLink(link, target)
      if (!target && this.#unknown.size < maxUnknown) this.#unknown.add(link)
    }
  }

  #addressOf(link: string): string | undefined {
    const written = parseForeignAddress(link)
    return written && this.#domainNames.addressOf(written.domain, written.backHalf)
  }

  #count({ at, kind, count, ip, userAgent, referrer, place }: LineClick, target: number, line: number): void {
    const tables = this.#tables
    const visitor = tables.visitor(ip)
    const agent = tables.agent(userAgent)
    const click: Row = {
      at,
      total: 0,
      kind: visitKinds.indexOf(kind),
      target,
      place: place ? tables.givenPlace(place) : visitor.place,
      agent,
      referrer: tables.referrer(referrer),
      // Without an IP address every click counts as another visitor: closer to the truth than one visitor for all.
      visitor: ip === '' ? [line % 2 ** 32, Math.floor(line / 2 ** 32)] : visitor.half,
      withAgent: tables.halves[agent] ?? [0, 0],
    }
    // A line with a count is one click of a visitor plus a total; without an IP address it is only a total.
    if (count === undefined || ip !== '') this.#rows.add(click)
    const total = count === undefined ? 0 : ip === '' ? count : count - 1
    if (total > 0) this.#rows.add({ ...click, total })
  }
}

/** A click; the fields with a table hold the number of the entry. */
interface Row {
  readonly at: number
  readonly total: number
  readonly kind: number
  readonly target: number
  readonly place: number
  readonly agent: number
  readonly referrer: number
  /** Identifies the visitor, together with the agent. */
  readonly visitor: HalfBlock
  readonly withAgent: HalfBlock
}

/** Collects clicks in columns. */
class Rows {
  readonly #at: number[] = []
  readonly #totals: number[] = []
  readonly #kinds: number[] = []
  readonly #targets: number[] = []
  readonly #places: number[] = []
  readonly #agents: number[] = []
  readonly #referrers: number[] = []
  readonly #blocks: number[] = []

  add(row: Row): void {
    this.#at.push(row.at)
    this.#totals.push(row.total)
    this.#kinds.push(row.kind)
    this.#targets.push(row.target)
    this.#places.push(row.place)
    this.#agents.push(row.agent)
    this.#referrers.push(row.referrer)
    this.#blocks.push(row.visitor[0], row.visitor[1], row.withAgent[0], row.withAgent[1])
  }

  batch({ targets, places, agents, referrers }: ImportTables, numbers: VisitorNumbers): Prepared['clicks'] {
    const at = new Float64Array(this.#at)
    return {
      at,
      visitorHash: numbers.of(at, new Uint32Array(this.#blocks)),
      totals: new Uint32Array(this.#totals),
      kinds: new Uint8Array(this.#kinds),
      targets: { table: targets, used: new Uint32Array(this.#targets) },
      places: { table: places, used: new Uint32Array(this.#places) },
      agents: { table: agents, used: new Uint32Array(this.#agents) },
      referrers: { table: referrers, used: new Uint32Array(this.#referrers) },
    }
  }
}

/** The numbered lines of a file, and an output for rejected lines. */
export interface ImportSource {
  /** Derived from the file's content. */
  readonly journalId: string
  /** The lines after this one, in order, in pieces of bounded size. */
  linesAfter(line: number): AsyncIterable<ImportPiece>
  /** Deletes the rejected lines of earlier runs: every run tries them again. */
  forgetRejects(): Promise<void>
  reject(lines: readonly RejectedLine[]): Promise<void>
}

/** Consecutive lines of a file. */
export interface ImportPiece {
  /** Number of the first line, from 1. */
  readonly first: number
  /** The lines, each followed by a line feed. Valid until the next piece is read. */
  readonly data: Buffer
  /** Offsets of the line feeds. A line longer than `maxLineLength` may be truncated after that length. */
  readonly ends: readonly number[]
  /** Bytes of the file up to the end of the piece. */
  readonly bytes: number
}

export interface RejectedLine {
  readonly line: number
  readonly reason: string
  readonly text: string
}
