/**
 * Turns lines into clicks: finds their links, and says about them what the pipeline would say about a request. Done for
 * a hundred thousand lines a second, so that it works with the bytes of the file: only what was not seen before becomes
 * a text (import-known.ts).
 */
import type { DomainNames } from '../domains/domain-names.js'
import { parseAddress } from '../values/address.js'
import { type ClickBatch, engagementKinds } from './click-batch.js'
import { Known, noLink } from './import-known.js'
import { type LineClick, readLine } from './import-line.js'
import { Moments } from './import-moment.js'
import { field, LineScan } from './import-scan.js'
import type { ImportPiece, ImportTargets, RejectedLine } from './import-source.js'
import type { Geography } from './locate.js'
import type { DailySalts } from './visitor.js'
import { blockWords, VisitorNumbers } from './visitor-numbers.js'

export interface PrepareDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  readonly targets: ImportTargets
  readonly domainNames: DomainNames
}

/** Our choice: a user agent and a referrer of the longest kind fit many times. */
export const longestLine = 64 * 1024

export interface Prepared {
  readonly clicks: Omit<ClickBatch, 'passedOver'>
  readonly rejected: readonly RejectedLine[]
}

/** Our choice: in either thread. Then all is forgotten; what is used a lot is soon known again. */
const mostKnown = 50_000_000

/** Our choice: so many unknown links are told apart. */
const mostUnknown = 100_000
const unknownExamples = 10

export class Preparation {
  readonly #targets: ImportTargets
  readonly #domainNames: DomainNames
  readonly #now: number
  readonly #knowNothing: () => Known
  readonly #scan = new LineScan()
  readonly #moments = new Moments()
  #known: Known
  readonly #rows: Rows
  #rejected: RejectedLine[] = []
  readonly #unknown = new Set<string>()

  /** What happened after `now` did not happen. */
  constructor({ geography, salts, targets, domainNames }: PrepareDeps, now: number) {
    this.#targets = targets
    this.#domainNames = domainNames
    this.#now = now
    this.#knowNothing = () => new Known(geography)
    this.#known = this.#knowNothing()
    this.#rows = new Rows(new VisitorNumbers(salts))
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
    const { first, data, ends } = piece
    const begun = this.#rows.count
    let start = 0
    let line = first
    for (const end of ends) {
      if (wanted && !wanted(line)) {
        // It was counted before.
      } else if (end - start > longestLine) this.#rejected.push({ line, reason: 'the line is too long', text: '' })
      else if (!this.#readUsual(data, start, line)) this.#readAny(data.toString('utf8', start, end), line)
      start = end + 1
      line++
    }
    await this.#findTargets()
    this.#aim(piece, begun)
  }

  /** What was added since the last time. */
  take(): Prepared {
    const clicks = this.#rows.take(this.#known)
    const rejected = this.#rejected.sort((one, other) => one.line - other.line)
    this.#rejected = []
    if (this.#known.weight > mostKnown) this.#known = this.#knowNothing()
    return { clicks, rejected }
  }

  /** False when the line needs a closer look. `read` is what only a closer look tells. */
  #readUsual(data: Buffer, start: number, line: number, read?: Pick<LineClick, 'at' | 'count'>): boolean {
    const scan = this.#scan
    const known = this.#known
    // A count is a number, and so never found here.
    if (!scan.read(data, start) || !scan.has(field.link) || scan.has(field.count)) return false
    const moment = read?.at ?? this.#moments.read(data, scan.from(field.at), scan.to(field.at))
    const kind = scan.has(field.kind) ? kindIn(data, scan.from(field.kind), scan.to(field.kind)) : 0
    if (moment === undefined || moment > this.#now || kind < 0) return false
    const link = known.link(data, scan.from(field.link), scan.to(field.link), scan.hash(field.link))
    const agent = known.agent(data, scan.from(field.userAgent), scan.to(field.userAgent), scan.hash(field.userAgent))
    const referrer = known.referrer(data, scan.from(field.referrer), scan.to(field.referrer), scan.hash(field.referrer))
    const hasAddress = scan.has(field.ip)
    const visitor = hasAddress
      ? known.visitor(data, scan.from(field.ip), scan.to(field.ip), scan.hash(field.ip))
      : known.nobody()
    if (link < 0 || agent < 0 || referrer < 0 || visitor < 0) return false
    const place = this.#saysPlace() ? this.#saidPlace(data) : known.placeOfVisitor(visitor)
    if (place < 0) return false
    const count = read?.count
    // Many clicks of one visitor are one click and a total; without an address nobody can say how many they were.
    if (count === undefined || hasAddress) {
      const row = this.#rows.add(line, moment, kind, link, place, agent, referrer)
      known.writeBlock(this.#rows.blocks, row, visitor, agent)
      if (!hasAddress) this.#rows.setApart(row)
    }
    const total = count === undefined ? 0 : hasAddress ? count - 1 : count
    if (total > 0) this.#rows.add(line, moment, kind, link, place, agent, referrer, total)
    return true
  }

  #saysPlace(): boolean {
    const scan = this.#scan
    return scan.has(field.country) || scan.has(field.region) || scan.has(field.city)
  }

  #saidPlace(data: Buffer): number {
    const scan = this.#scan
    const value = (which: number) =>
      scan.has(which) ? { data, from: scan.from(which), to: scan.to(which) } : undefined
    return this.#known.saidPlace(value(field.country), value(field.region), value(field.city))
  }

  #readAny(text: string, line: number): void {
    // Trimmed: of line ends as others write them, and of the mark that some files begin with.
    const trimmed = text.trim()
    if (trimmed === '') return
    const said = readLine(trimmed, this.#now)
    if (typeof said === 'string') this.#rejected.push({ line, reason: said, text })
    else if (!this.#readUsual(Buffer.from(plainLine(said)), 0, line, said)) {
      throw new Error(`line ${line} is a click in one way of reading and none in the other`)
    }
  }

  async #findTargets(): Promise<void> {
    const open = this.#known.takeOpenLinks().map(({ link, text }) => ({ link, text, address: this.#addressOf(text) }))
    if (open.length === 0) return
    const asked = new Set(open.map(({ address }) => address).filter((address) => address !== undefined))
    const led = await this.#targets.leads([...asked])
    for (const { link, text, address } of open) {
      const target = led.get(address ?? '')
      if (target) this.#known.aim(link, target)
      else if (this.#unknown.size < mostUnknown) this.#unknown.add(text)
    }
  }

  #addressOf(link: string): string | undefined {
    const written = parseAddress(link)
    return written && this.#domainNames.addressOf(written.domain, written.backHalf)
  }

  /** Now that it is known which links exist: clicks of others are rejected. */
  #aim({ first, data, ends }: ImportPiece, begun: number): void {
    let missing = 0
    this.#rows.aim(this.#known, begun, (line) => {
      // One with a count may be two rows.
      if (line === missing) return
      missing = line
      const index = line - first
      const text = data.toString('utf8', index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, ends[index])
      const said = readLine(text.trim(), this.#now)
      const link = typeof said === 'string' ? '' : said.link
      this.#rejected.push({ line, reason: `there is no short link ${link}`, text })
    })
  }
}

/** Clicks that are being collected, in columns. */
class Rows {
  count = 0
  /** Of each click's visitor. */
  blocks = new Uint32Array(blockWords * firstSize)
  readonly #numbers: VisitorNumbers
  #at = new Float64Array(firstSize)
  #totals = new Uint32Array(firstSize)
  #kinds = new Uint8Array(firstSize)
  #places = new Uint32Array(firstSize)
  #agents = new Uint32Array(firstSize)
  #referrers = new Uint32Array(firstSize)
  #lines = new Float64Array(firstSize)
  /** First the links as they are written, then what they lead to. */
  #targets = new Uint32Array(firstSize)

  constructor(numbers: VisitorNumbers) {
    this.#numbers = numbers
  }

  /** Answers which row it is; its block is the caller's to write. */
  add(
    line: number,
    at: number,
    kind: number,
    link: number,
    place: number,
    agent: number,
    referrer: number,
    total = 0,
  ): number {
    const row = this.count++
    if (row === this.#at.length) this.#grow()
    this.#totals[row] = total
    this.#lines[row] = line
    this.#at[row] = at
    this.#kinds[row] = kind
    this.#targets[row] = link
    this.#places[row] = place
    this.#agents[row] = agent
    this.#referrers[row] = referrer
    return row
  }

  /** Our choice: without an address every click is a visitor of its own; all of them as one would be further off. */
  setApart(row: number): void {
    const line = this.#lines[row] ?? 0
    this.blocks[blockWords * row] = line % 2 ** 32
    this.blocks[blockWords * row + 1] = Math.floor(line / 2 ** 32)
  }

  /** From this row on: those that lead nowhere are taken out. */
  aim(known: Known, begun: number, onMissing: (line: number) => void): void {
    let kept = begun
    for (let row = begun; row < this.count; row++) {
      const target = known.targetOf(this.#targets[row] ?? 0)
      if (target === noLink) {
        onMissing(this.#lines[row] ?? 0)
        continue
      }
      if (kept < row) this.#move(row, kept)
      this.#targets[kept++] = target
    }
    this.count = kept
  }

  /** Memory of their own, so that it can be given away. */
  take({ targets, places, agents, referrers }: Known): Prepared['clicks'] {
    const count = this.count
    this.count = 0
    const at = this.#at.slice(0, count)
    return {
      at,
      visitorHash: this.#numbers.of(at, this.blocks),
      totals: this.#totals.slice(0, count),
      kinds: this.#kinds.slice(0, count),
      targets: { table: targets, used: this.#targets.slice(0, count) },
      places: { table: places, used: this.#places.slice(0, count) },
      agents: { table: agents, used: this.#agents.slice(0, count) },
      referrers: { table: referrers, used: this.#referrers.slice(0, count) },
    }
  }

  get #columns() {
    return [this.#at, this.#totals, this.#kinds, this.#places, this.#agents, this.#referrers, this.#lines]
  }

  #move(from: number, to: number): void {
    for (const column of this.#columns) column.copyWithin(to, from, from + 1)
    this.blocks.copyWithin(blockWords * to, blockWords * from, blockWords * (from + 1))
  }

  #grow(): void {
    const size = 2 * this.#at.length
    this.#at = grown(this.#at, new Float64Array(size))
    this.blocks = grown(this.blocks, new Uint32Array(blockWords * size))
    this.#totals = grown(this.#totals, new Uint32Array(size))
    this.#kinds = grown(this.#kinds, new Uint8Array(size))
    this.#places = grown(this.#places, new Uint32Array(size))
    this.#agents = grown(this.#agents, new Uint32Array(size))
    this.#referrers = grown(this.#referrers, new Uint32Array(size))
    this.#lines = grown(this.#lines, new Float64Array(size))
    this.#targets = grown(this.#targets, new Uint32Array(size))
  }
}

const firstSize = 1 << 15

function grown<T extends Float64Array | Uint32Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old)
  return larger
}

const kindsAsBytes = engagementKinds.map((kind) => Buffer.from(kind))

function kindIn(data: Buffer, from: number, to: number): number {
  return kindsAsBytes.findIndex(
    (kind) => kind.length === to - from && data.compare(kind, 0, kind.length, from, to) === 0,
  )
}

/** A line that says the same in the usual way. */
function plainLine({ link, kind, ip, userAgent, referrer, place }: LineClick): string {
  const said = {
    ...{ link, kind, user_agent: userAgent, referrer, region: place?.region, city: place?.city },
    ...(ip !== '' && { ip }),
    ...(place && place.country !== '' && { country: place.country }),
  }
  return `${JSON.stringify(said)}\n`
}
