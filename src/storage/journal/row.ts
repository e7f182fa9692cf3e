/**
 * What a journal row holds: the clicks of one event-loop turn, as JSON on one line. Visitors of one moment resemble each
 * other (a hot link, the same browser, one proxy), so texts and targets are written once a row and clicks refer to them
 * by number, and a click that is the one before once more is only counted: what is not written costs nothing. Texts that
 * visitors send are cut to what anybody uses. Rows written by an older version must stay readable: a change of this
 * format needs another first element.
 */
import type { RawClick } from '../../core/clicks/click.js'
import type { Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'
import { cutTo } from '../../lib/cut.js'

type Row = readonly [
  format: typeof format,
  /** Milliseconds; the clicks' own times count from here. */
  from: number,
  texts: readonly string[],
  /** `targetWidth` numbers a target, all of them texts. */
  targets: readonly number[],
  /** `clickWidth` numbers a click, the first of them never negative; or -n: the click before, n times more. */
  clicks: readonly number[],
]

const format = 1
// address, link, group, destination
const targetWidth = 4
// flags, at, visitor, user agent, referrer, language, purpose, target
const clickWidth = 8
const headFlag = 1
const scanFlag = 2

/**
 * Our choice, in bytes: what the pipeline reads and the stream passes on. Longer agents than this are made up; a referrer
 * is kept as long as a long URL may be; the redirect path cuts addresses to those of the proxies in front, 32 at most.
 */
const longest = { visitor: 2048, userAgent: 1024, referrer: 2048, language: 256, purpose: 64 } as const

/** Collects the clicks of one turn. */
export class Turn {
  readonly #texts = new Texts()
  readonly #visitor = new Field(this.#texts, longest.visitor)
  readonly #userAgent = new Field(this.#texts, longest.userAgent)
  readonly #referrer = new Field(this.#texts, longest.referrer)
  readonly #language = new Field(this.#texts, longest.language)
  readonly #purpose = new Field(this.#texts, longest.purpose)
  readonly #group = new Field(this.#texts)
  readonly #targetNumbers = new Map<Target, number>()
  readonly #targets: number[] = []
  readonly #numbers: number[] = []
  #from = 0
  #clicks = 0
  #target: Target | undefined
  #visit: Visit | undefined
  /** How often the last click has come again. */
  #again = 0

  get clicks(): number {
    return this.#clicks
  }

  add(target: Target, visit: Visit): void {
    this.#clicks++
    if (this.#visit === undefined) this.#from = visit.at
    else if (target === this.#target && alike(visit, this.#visit)) {
      this.#again++
      return
    }
    this.#endRepetition()
    this.#target = target
    this.#visit = visit
    this.#numbers.push(
      (visit.method === 'HEAD' ? headFlag : 0) | (visit.scan ? scanFlag : 0),
      visit.at - this.#from,
      this.#visitor.number(visit.visitor),
      this.#userAgent.number(visit.userAgent),
      this.#referrer.number(visit.referrer),
      this.#language.number(visit.language),
      this.#purpose.number(visit.purpose),
      this.#targetNumber(target),
    )
  }

  encode(): string {
    this.#endRepetition()
    const row: Row = [format, this.#from, this.#texts.list, this.#targets, this.#numbers]
    return JSON.stringify(row)
  }

  #endRepetition(): void {
    if (this.#again > 0) this.#numbers.push(-this.#again)
    this.#again = 0
  }

  /** Addresses and destinations are hardly ever equal to another text: looking for it would cost more than it saves. */
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
    one.scan === other.scan
  )
}

class Texts {
  readonly list: string[] = []
  readonly #numbers = new Map<string, number>()

  /** The text's number, which it gets the first time. */
  number(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.list.length)
    return this.add(text)
  }

  /** A number in any case. */
  add(text: string): number {
    return this.list.push(text) - 1
  }
}

/** Asks first whether the text is the one before: comparing two texts costs less than looking one up by its hash. */
class Field {
  readonly #texts: Texts
  readonly #bytes: number
  #last: string | undefined
  #number = 0

  /** Texts are cut to so many bytes. */
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

/** More than all the connections that a process can hold come again in one turn: only damage says so. */
const mostAgain = 1_000_000

/** The row's clicks; undefined when this is no row. A click that came several times is several times the same object. */
export function decodeRow(text: string): readonly RawClick[] | undefined {
  const row = parse(text)
  if (!isRow(row)) return undefined
  const [, from, texts, targets, numbers] = row
  const clicks: RawClick[] = []
  let click: RawClick | undefined
  for (let at = 0; at < numbers.length; ) {
    const flags = numbers[at] ?? 0
    if (flags < 0) {
      if (click === undefined || flags < -mostAgain) return undefined
      for (let again = flags; again < 0; again++) clicks.push(click)
      at++
      continue
    }
    const target = (numbers[at + 7] ?? 0) * targetWidth
    click = {
      at: from + (numbers[at + 1] ?? 0),
      method: (flags & headFlag) === 0 ? 'GET' : 'HEAD',
      address: textAt(texts, targets, target),
      linkId: textAt(texts, targets, target + 1),
      groupGuid: textAt(texts, targets, target + 2),
      destination: textAt(texts, targets, target + 3),
      scan: (flags & scanFlag) !== 0,
      visitor: textAt(texts, numbers, at + 2),
      userAgent: textAt(texts, numbers, at + 3),
      referrer: textAt(texts, numbers, at + 4),
      language: textAt(texts, numbers, at + 5),
      purpose: textAt(texts, numbers, at + 6),
    }
    clicks.push(click)
    at += clickWidth
  }
  return clicks
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

/** What a sound row holds is ours; what a damaged one holds, the pipeline checks click by click. */
function isRow(value: unknown): value is Row {
  if (!Array.isArray(value) || value[0] !== format || !Number.isInteger(value[1])) return false
  return Array.isArray(value[2]) && Array.isArray(value[3]) && Array.isArray(value[4])
}
