/**
 * Clicks on their way from one thread to another. As objects they would cost more to send than to make; as columns, with
 * every word written once and numbers in memory that changes hands, they cost a tenth of it.
 */
import type { Click } from '../core/clicks/click.js'

export interface ClickColumns {
  readonly at: Float64Array
  readonly visitorHash: BigUint64Array
  /** Ids end with a number of their own; the rest is a word like others. */
  readonly eventNumber: Uint32Array
  readonly words: Readonly<Record<TextField | 'eventId', Words>>
}

interface Words {
  readonly known: readonly string[]
  /** Which one each click has. */
  readonly used: Uint32Array
}

const textFields = [
  'address',
  'linkId',
  'groupGuid',
  'destination',
  'kind',
  'nature',
  'country',
  'region',
  'subregion',
  'city',
  'device',
  'os',
  'browser',
  'referrer',
  'referrerDomain',
  'referrerName',
  'referrerNetwork',
] as const satisfies readonly (keyof Click)[]

type TextField = (typeof textFields)[number]

export function toColumns(clicks: readonly Click[]): ClickColumns {
  const words = {} as Record<TextField | 'eventId', Words>
  for (const field of textFields) words[field] = wordsOf(clicks, field)
  const eventNumber = new Uint32Array(clicks.length)
  const stems = clicks.map(({ eventId }, row) => {
    const at = eventId.lastIndexOf('-')
    eventNumber[row] = Number(eventId.slice(at + 1))
    return { eventId: eventId.slice(0, at) }
  })
  words.eventId = wordsOf(stems, 'eventId')
  return {
    at: Float64Array.from(clicks, ({ at }) => at),
    visitorHash: BigUint64Array.from(clicks, ({ visitorHash }) => visitorHash),
    eventNumber,
    words,
  }
}

/** What need not be copied. */
export function memoryOf({ at, visitorHash, eventNumber, words }: ClickColumns): ArrayBuffer[] {
  const arrays = [at, visitorHash, eventNumber, ...Object.values(words).map(({ used }) => used)]
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}

export function fromColumns({ at, visitorHash, eventNumber, words }: ClickColumns): readonly Click[] {
  const word = (field: TextField | 'eventId', row: number) => words[field].known[words[field].used[row] ?? 0] ?? ''
  return Array.from(at, (moment, row) => ({
    eventId: `${word('eventId', row)}-${eventNumber[row]}`,
    at: moment,
    address: word('address', row),
    linkId: word('linkId', row),
    groupGuid: word('groupGuid', row),
    destination: word('destination', row),
    // What these two and the device can be was decided where they were made.
    kind: word('kind', row) as Click['kind'],
    nature: word('nature', row) as Click['nature'],
    country: word('country', row),
    region: word('region', row),
    subregion: word('subregion', row),
    city: word('city', row),
    device: word('device', row) as Click['device'],
    os: word('os', row),
    browser: word('browser', row),
    referrer: word('referrer', row),
    referrerDomain: word('referrerDomain', row),
    referrerName: word('referrerName', row),
    referrerNetwork: word('referrerNetwork', row),
    visitorHash: visitorHash[row] ?? 0n,
  }))
}

function wordsOf<Field extends string>(rows: readonly Readonly<Record<Field, string>>[], field: Field): Words {
  const numbers = new Map<string, number>()
  const used = new Uint32Array(rows.length)
  let before: string | undefined
  let number = 0
  // By hand: this runs for every field of every click, and an iterator would take as long as the work.
  for (let row = 0; row < used.length; row++) {
    const word = rows[row]?.[field] ?? ''
    if (word !== before) {
      number = numbers.get(word) ?? numbers.size
      if (number === numbers.size) numbers.set(word, number)
      before = word
    }
    used[row] = number
  }
  return { known: [...numbers.keys()], used }
}
