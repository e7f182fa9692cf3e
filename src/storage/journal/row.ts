/**
 * A row of the journal and its line in the file.
 * A row holds the clicks of one event-loop turn as JSON. Visitors of one moment are alike (a hot link, the same
 * browser, one proxy), so a row stores texts and targets once, clicks refer to them by index, and repeated clicks are
 * only counted. Rows of older versions must stay readable: a change of this format needs another first element, which
 * rows have that say what older versions would misread.
 * A line is `<checksum> <journal>-<row> <JSON>`. It says which row of which journal it is and whether it is intact, so
 * rows after damage keep their numbers, and no row is counted twice when the file with the journal id is lost.
 */
import { crc32 } from 'node:zlib'
import type { RawClick } from '../../core/clicks/click.js'
import type { VisitKind } from '../../core/clicks/dimensions.js'
import type { Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'

type Row = readonly [
  format: (typeof formats)[number],
  /** Milliseconds; click times are relative to it. */
  from: number,
  texts: readonly string[],
  /** `targetWidth` text indexes per target. */
  targets: readonly number[],
  /**
   * `clickWidth` numbers per click, and one more for a button; the first never negative. Or -n: repeat the previous click
   * n times.
   */
  clicks: readonly number[],
]

/** Clicks and scans alone; also buttons and views. */
const formats = [1, 2] as const
// address, link, group, destination
const targetWidth = 4
// flags, at, visitor, user agent, referrer, language, purpose, target; of a button: site
const clickWidth = 8
const headFlag = 1
const kindFlags = { click: 0, scan: 2, button: 4, view: 8 } as const satisfies Record<VisitKind, number>
const anyKind = kindFlags.scan | kindFlags.button | kindFlags.view

/**
 * Limits in bytes: what the pipeline reads and the stream passes on. Longer user agents are fake; a referrer may be as
 * long as a long URL; the redirect path limits X-Forwarded-For to the trusted proxies, 32 at most.
 */
const maxBytes = { visitor: 2048, userAgent: 1024, referrer: 2048, language: 256, purpose: 64 } as const

/** Collects the clicks of one turn. */
export class Turn {
  readonly #texts = new Texts()
  readonly #visitor = new Field(this.#texts, maxBytes.visitor)
  readonly #userAgent = new Field(this.#texts, maxBytes.userAgent)
  readonly #referrer = new Field(this.#texts, maxBytes.referrer)
  readonly #language = new Field(this.#texts, maxBytes.language)
  readonly #purpose = new Field(this.#texts, maxBytes.purpose)
  readonly #group = new Field(this.#texts)
  readonly #site = new Field(this.#texts)
  readonly #targetNumbers = new Map<Target, number>()
  readonly #targets: number[] = []
  readonly #numbers: number[] = []
  #from = 0
  #clicks = 0
  #format: Row[0] = 1
  #target: Target | undefined
  #visit: Visit | undefined
  /** Repetitions of the last click. */
  #repeats = 0

  get clicks(): number {
    return this.#clicks
  }

  add(target: Target, visit: Visit): void {
    this.#clicks++
    if (this.#visit === undefined) this.#from = visit.at
    else if (target === this.#target && alike(visit, this.#visit)) {
      this.#repeats++
      return
    }
    this.#endRepetition()
    this.#target = target
    this.#visit = visit
    this.#numbers.push(
      (visit.method === 'HEAD' ? headFlag : 0) | kindFlags[visit.kind],
      visit.at - this.#from,
      this.#visitor.number(visit.visitor),
      this.#userAgent.number(visit.userAgent),
      this.#referrer.number(visit.referrer),
      this.#language.number(visit.language),
      this.#purpose.number(visit.purpose),
      this.#targetNumber(target),
    )
    if (visit.kind === 'button') this.#numbers.push(this.#site.number(visit.site))
    if (kindFlags[visit.kind] > kindFlags.scan) this.#format = 2
  }

  encode(): string {
    this.#endRepetition()
    const row: Row = [this.#format, this.#from, this.#texts.list, this.#targets, this.#numbers]
    return JSON.stringify(row)
  }

  #endRepetition(): void {
    if (this.#repeats > 0) this.#numbers.push(-this.#repeats)
    this.#repeats = 0
  }

  /** Addresses and destinations rarely equal another text: a lookup would cost more than it saves. */
  #targetNumber(target: Target): number {
    const known = this.#targetNumbers.get(target)
    if (known !== undefined) return known
    const { address, linkId = '', groupGuid = '', longUrl } = target
    const number = this.#targetNumbers.size
    this.#targetNumbers.set(target, number)
    const addressNumber = this.#texts.add(address)
    this.#targets.push(
      addressNumber,
      linkId === address ? addressNumber : this.#texts.number(linkId),
      this.#group.number(groupGuid),
      this.#texts.add(longUrl),
    )
    return number
  }
}

function alike(one: Visit, other: Visit): boolean {
  return (
    one.at === other.at &&
    one.visitor === other.visitor &&
    one.userAgent === other.userAgent &&
    one.referrer === other.referrer &&
    one.language === other.language &&
    one.purpose === other.purpose &&
    one.method === other.method &&
    one.kind === other.kind &&
    one.site === other.site
  )
}

class Texts {
  readonly list: string[] = []
  readonly #numbers = new Map<string, number>()

  /** The index of the text, added on first use. */
  number(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.list.length)
    return this.add(text)
  }

  /** Adds the text without a lookup. */
  add(text: string): number {
    return this.list.push(text) - 1
  }
}

/** Compares with the previous text first: cheaper than a hash lookup. */
class Field {
  readonly #texts: Texts
  readonly #bytes: number
  #last: string | undefined
  #number = 0

  /** Truncates texts to this many bytes. */
  constructor(texts: Texts, bytes = Number.POSITIVE_INFINITY) {
    this.#texts = texts
    this.#bytes = bytes
  }

  number(text: string): number {
    if (text === this.#last) return this.#number
    this.#last = text
    this.#number = this.#texts.number(cutTo(text, this.#bytes))
    return this.#number
  }
}

const encoder = new TextEncoder()

/** Truncates a text to this many bytes of UTF-8 without splitting a character. */
function cutTo(text: string, bytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts need no measuring.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}

/** More repetitions than a process can have connections in one turn: only a damaged row says so. */
const maxRepeats = 1_000_000

/** The clicks of the row; undefined when invalid. A repeated click is the same object several times. */
export function decodeRow(text: string): readonly RawClick[] | undefined {
  const row = parse(text)
  if (!isRow(row)) return undefined
  const [, from, texts, targets, numbers] = row
  const clicks: RawClick[] = []
  let click: RawClick | undefined
  for (let at = 0; at < numbers.length; ) {
    const flags = numbers[at] ?? 0
    if (flags < 0) {
      if (click === undefined || flags < -maxRepeats) return undefined
      for (let repeats = flags; repeats < 0; repeats++) clicks.push(click)
      at++
      continue
    }
    const target = (numbers[at + 7] ?? 0) * targetWidth
    const kind = kindOf(flags)
    const isButton = kind === 'button'
    click = {
      at: from + (numbers[at + 1] ?? 0),
      method: (flags & headFlag) === 0 ? 'GET' : 'HEAD',
      address: textAt(texts, targets, target),
      linkId: textAt(texts, targets, target + 1),
      groupGuid: textAt(texts, targets, target + 2),
      destination: textAt(texts, targets, target + 3),
      kind,
      site: isButton ? textAt(texts, numbers, at + clickWidth) : '',
      visitor: textAt(texts, numbers, at + 2),
      userAgent: textAt(texts, numbers, at + 3),
      referrer: textAt(texts, numbers, at + 4),
      language: textAt(texts, numbers, at + 5),
      purpose: textAt(texts, numbers, at + 6),
    }
    clicks.push(click)
    at += isButton ? clickWidth + 1 : clickWidth
  }
  return clicks
}

function kindOf(flags: number): VisitKind {
  switch (flags & anyKind) {
    case kindFlags.scan:
      return 'scan'
    case kindFlags.button:
      return 'button'
    case kindFlags.view:
      return 'view'
    default:
      return 'click'
  }
}

function textAt(texts: readonly string[], numbers: readonly number[], index: number): string {
  return texts[numbers[index] ?? 0] ?? ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks only the shape; the pipeline validates each click of a damaged row. */
function isRow(value: unknown): value is Row {
  if (!Array.isArray(value) || !formats.includes(value[0]) || !Number.isInteger(value[1])) return false
  return Array.isArray(value[2]) && Array.isArray(value[3]) && Array.isArray(value[4])
}

export interface NumberedRow {
  readonly journalId: string
  readonly row: number
  readonly text: string
}

const newline = 0x0a
const blank = 0x20
/** Eight digits and a space. */
const checksumBytes = 9

/**
 * Rows of a busy service have about ten kilobytes. A longer row gets its own buffer, so that the shared one stays
 * small.
 */
const sharedBytes = 256 * 1024
const usual = Buffer.allocUnsafeSlow(sharedBytes)

/** Returns the line with its line end; valid until the next call. */
export function encodeLine(journalId: string, row: number, text: string): Buffer {
  const body = `${journalId}-${row} ${text}`
  // A character takes at most three bytes, so the shared buffer never truncates.
  const maxLineBytes = checksumBytes + body.length * 3 + 1
  const line = maxLineBytes <= sharedBytes ? usual : Buffer.allocUnsafe(maxLineBytes)
  const end = checksumBytes + line.write(body, checksumBytes, 'utf8')
  writeChecksum(line, crc32(line.subarray(checksumBytes, end)))
  line[end] = newline
  return line.subarray(0, end + 1)
}

/** Takes the line without its end; undefined when it is damaged. */
export function decodeLine(line: Buffer): NumberedRow | undefined {
  if (line.length <= checksumBytes || line[checksumBytes - 1] !== blank) return undefined
  const sum = crc32(line.subarray(checksumBytes))
  for (let digit = 0; digit < checksumBytes - 1; digit++) if (line[digit] !== digitOf(sum, digit)) return undefined
  const body = line.toString('utf8', checksumBytes)
  const dash = body.indexOf('-')
  const end = body.indexOf(' ', dash)
  const row = Number(body.slice(dash + 1, end))
  if (dash < 1 || end < 0 || !Number.isSafeInteger(row)) return undefined
  return { journalId: body.slice(0, dash), row, text: body.slice(end + 1) }
}

function writeChecksum(line: Buffer, sum: number): void {
  for (let digit = 0; digit < checksumBytes - 1; digit++) line[digit] = digitOf(sum, digit)
  line[checksumBytes - 1] = blank
}

/** The n-th hexadecimal digit of the checksum, as a character code. */
function digitOf(sum: number, digit: number): number {
  const value = (sum >>> (28 - 4 * digit)) & 15
  return value < 10 ? 0x30 + value : 0x57 + value
}
