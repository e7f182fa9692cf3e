/** Turns lines into clicks: finds their links, and says about them what the pipeline would say about a request. */
import type { DomainNames } from '../domains/domain-names.js'
import { parseAddress } from '../values/address.js'
import { type ClickBatch, engagementKinds } from './click-batch.js'
import type { ClickStore } from './click-store.js'
import { Known } from './import-known.js'
import { type LineClick, readLine } from './import-line.js'
import type { Geography } from './locate.js'
import type { DailySalts } from './visitor.js'
import { type HalfBlock, VisitorNumbers } from './visitor-numbers.js'

export interface PrepareDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  readonly targets: Pick<ClickStore, 'leads'>
  readonly domainNames: DomainNames
}

/** Our choice: a user agent and a referrer of the longest kind fit many times. */
export const maxLineLength = 64 * 1024

interface Prepared {
  readonly clicks: Omit<ClickBatch, 'passedOver'>
  readonly rejected: readonly RejectedLine[]
}

/** A line that says what it should. */
interface ReadLine {
  readonly line: number
  readonly text: string
  readonly said: LineClick
}

/** Our choice: in either thread. Then all is forgotten; what is used a lot is soon known again. */
const maxKnown = 50_000_000

/** Our choice: so many unknown links are told apart. */
const maxUnknown = 100_000
const unknownExamples = 10

export class Preparation {
  readonly #targets: Pick<ClickStore, 'leads'>
  readonly #domainNames: DomainNames
  readonly #now: number
  readonly #numbers: VisitorNumbers
  readonly #knowNothing: () => Known
  #known: Known
  #rows = new Rows()
  #rejected: RejectedLine[] = []
  readonly #unknown = new Set<string>()

  /** What happened after `now` did not happen. */
  constructor({ geography, salts, targets, domainNames }: PrepareDeps, now: number) {
    this.#targets = targets
    this.#domainNames = domainNames
    this.#now = now
    this.#numbers = new VisitorNumbers(salts)
    this.#knowNothing = () => new Known(geography)
    this.#known = this.#knowNothing()
  }

  /** Links that do not exist, as they are written. */
  get unknown(): { readonly unknownLinks: number; readonly unknownExamples: readonly string[] } {
    const first: string[] = []
    for (const link of this.#unknown) {
      if (first.length === unknownExamples) break
      first.push(link)
    }
    return { unknownLinks: this.#unknown.size, unknownExamples: first }
  }

  /** Without the lines that are not wanted. */
  async add(piece: ImportPiece, wanted?: (line: number) => boolean): Promise<void> {
    const lines = this.#read(piece, wanted)
    await this.#findTargets(lines)
    for (const { line, text, said } of lines) {
      const target = this.#known.targetOf(said.link)
      if (target !== undefined) this.#count(said, target, line)
      else this.#rejected.push({ line, reason: `there is no short link ${said.link}`, text })
    }
  }

  /** What was added since the last time. */
  take(): Prepared {
    const clicks = this.#rows.batch(this.#known, this.#numbers)
    const rejected = this.#rejected.sort((one, other) => one.line - other.line)
    this.#rows = new Rows()
    this.#rejected = []
    if (this.#known.weight > maxKnown) this.#known = this.#knowNothing()
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
      // Otherwise it was counted before.
      if (wanted && !wanted(line)) continue
      if (end - from > maxLineLength) {
        this.#rejected.push({ line, reason: 'the line is too long', text: '' })
        continue
      }
      const text = data.toString('utf8', from, end)
      // Trimmed: of line ends as others write them, and of the mark that some files begin with.
      const trimmed = text.trim()
      if (trimmed === '') continue
      const said = readLine(trimmed, this.#now)
      if (typeof said === 'string') this.#rejected.push({ line, reason: said, text })
      else lines.push({ line, text, said })
    }
    return lines
  }

  /** All that are not known yet at once. */
  async #findTargets(lines: readonly ReadLine[]): Promise<void> {
    const open = new Map<string, string | undefined>()
    for (const { said } of lines) {
      if (!this.#known.hasLink(said.link)) open.set(said.link, this.#addressOf(said.link))
    }
    if (open.size === 0) return
    const asked = new Set([...open.values()].filter((address) => address !== undefined))
    const led = await this.#targets.leads([...asked])
    for (const [link, address] of open) {
      const target = led.get(address ?? '')
      this.#known.setLink(link, target)
      if (!target && this.#unknown.size < maxUnknown) this.#unknown.add(link)
    }
  }

  #addressOf(link: string): string | undefined {
    const written = parseAddress(link)
    return written && this.#domainNames.addressOf(written.domain, written.backHalf)
  }

  #count({ at, kind, count, ip, userAgent, referrer, place }: LineClick, target: number, line: number): void {
    const known = this.#known
    const visitor = known.visitor(ip)
    const agent = known.agent(userAgent)
    const click: Row = {
      at,
      total: 0,
      kind: engagementKinds.indexOf(kind),
      target,
      place: place ? known.saidPlace(place) : visitor.place,
      agent,
      referrer: known.referrer(referrer),
      // Our choice: without an address every click is a visitor of its own; all of them as one would be further off.
      visitor: ip === '' ? [line % 2 ** 32, Math.floor(line / 2 ** 32)] : visitor.half,
      withAgent: known.halves[agent] ?? [0, 0],
    }
    // Many clicks of one visitor are one click and a total; without an address nobody can say how many they were.
    if (count === undefined || ip !== '') this.#rows.add(click)
    const total = count === undefined ? 0 : ip === '' ? count : count - 1
    if (total > 0) this.#rows.add({ ...click, total })
  }
}

/** Of what is named by a number, the number. */
interface Row {
  readonly at: number
  readonly total: number
  readonly kind: number
  readonly target: number
  readonly place: number
  readonly agent: number
  readonly referrer: number
  /** What makes the visitor one and the same, with the agent. */
  readonly visitor: HalfBlock
  readonly withAgent: HalfBlock
}

/** Clicks that are being collected, in columns. */
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

  batch({ targets, places, agents, referrers }: Known, numbers: VisitorNumbers): Prepared['clicks'] {
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

/** Numbered lines, and a place for those that cannot be used. */
export interface ImportSource {
  /** The same for the same content, and for no other. */
  readonly journalId: string
  /** The lines after this one, in order and in handy pieces. */
  linesAfter(line: number): AsyncIterable<ImportPiece>
  /** Forgets what former runs have rejected: each tries all of it again. */
  forgetRejects(): Promise<void>
  reject(lines: readonly RejectedLine[]): Promise<void>
}

/** Some lines of a file. */
export interface ImportPiece {
  /** Number of the first line; the first of a file is 1. */
  readonly first: number
  /** The lines, each with a line feed behind it. Valid until the next piece is asked for. */
  readonly data: Buffer
  /** Where the line feeds are. A line longer than `longestLine` may have been cut anywhere behind that. */
  readonly ends: readonly number[]
  /** Bytes of the file up to the end of the piece. */
  readonly bytes: number
}

export interface RejectedLine {
  readonly line: number
  readonly reason: string
  readonly text: string
}
