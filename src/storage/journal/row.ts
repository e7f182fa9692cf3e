/**
 * What a journal row holds: the clicks of one event-loop turn, as JSON. Visitors of one moment resemble each other (a
 * hot link, the same browser, one proxy), so texts and targets are written once a row and clicks refer to them by
 * number: a tenth of the bytes on a busy service, and what is not written costs nothing. Rows written by an older
 * version must stay readable: a change of this format needs another first element.
 */
import type { RawClick } from '../../core/clicks/click.js'
import type { Visit } from '../../core/clicks/journal.js'
import type { Target } from '../../core/links/link.js'

type Row = readonly [
  format: 1,
  /** Milliseconds; the clicks' own times count from here. */
  from: number,
  texts: readonly string[],
  targets: readonly (readonly [address: string, linkId: string, groupGuid: string, destination: string])[],
  /** `width` numbers a click, one click behind the other. */
  numbers: readonly number[],
]

// at, flags, visitor, user agent, referrer, language, purpose, target
const width = 8
const headFlag = 1
const scanFlag = 2

/** Collects the clicks of one turn. */
export class Turn {
  #texts = new Map<string, number>()
  #targets = new Map<Target, number>()
  readonly #visitor = new Field(this.#texts)
  readonly #userAgent = new Field(this.#texts)
  readonly #referrer = new Field(this.#texts)
  readonly #language = new Field(this.#texts)
  readonly #purpose = new Field(this.#texts)
  #numbers: number[] = []
  #from = 0

  get clicks(): number {
    return this.#numbers.length / width
  }

  add(target: Target, visit: Visit): void {
    if (this.#numbers.length === 0) this.#from = visit.at
    this.#numbers.push(
      visit.at - this.#from,
      (visit.method === 'HEAD' ? headFlag : 0) | (visit.scan ? scanFlag : 0),
      this.#visitor.number(visit.visitor),
      this.#userAgent.number(visit.userAgent),
      this.#referrer.number(visit.referrer),
      this.#language.number(visit.language),
      this.#purpose.number(visit.purpose),
      numberOf(this.#targets, target),
    )
  }

  encode(): string {
    const targets = Array.from(
      this.#targets.keys(),
      ({ address, linkId = '', groupGuid = '', longUrl }) => [address, linkId, groupGuid, longUrl] as const,
    )
    const row: Row = [1, this.#from, [...this.#texts.keys()], targets, this.#numbers]
    return JSON.stringify(row)
  }
}

/** Asks first whether the text is the one before: comparing two texts costs less than looking one up by its hash. */
class Field {
  readonly #texts: Map<string, number>
  #last: string | undefined
  #number = 0

  constructor(texts: Map<string, number>) {
    this.#texts = texts
  }

  number(text: string): number {
    if (text === this.#last) return this.#number
    this.#last = text
    this.#number = numberOf(this.#texts, text)
    return this.#number
  }
}

function numberOf<Key>(known: Map<Key, number>, key: Key): number {
  const number = known.get(key)
  if (number !== undefined) return number
  known.set(key, known.size)
  return known.size - 1
}

export function decodeRow(text: string): readonly RawClick[] {
  const [, from, texts, targets, numbers] = JSON.parse(text) as Row
  const clicks: RawClick[] = []
  for (let at = 0; at < numbers.length; at += width) {
    const number = (field: number): number => numbers[at + field] ?? 0
    const word = (field: number): string => texts[number(field)] ?? ''
    const [address = '', linkId = '', groupGuid = '', destination = ''] = targets[number(7)] ?? []
    clicks.push({
      at: from + number(0),
      method: (number(1) & headFlag) === 0 ? 'GET' : 'HEAD',
      scan: (number(1) & scanFlag) !== 0,
      visitor: word(2),
      userAgent: word(3),
      referrer: word(4),
      language: word(5),
      purpose: word(6),
      address,
      linkId,
      groupGuid,
      destination,
    })
  }
  return clicks
}
