/**
 * What the lines of an import have in common. Each value that came before has a number; a new one is made a text of, once,
 * and what the pipeline's steps say about it is kept with it. Values are the bytes between the quotes, escapes and all:
 * two spellings of one text are two values, which costs a little and changes nothing. Answers are -1 where a value is not
 * what it should be.
 */
import { isIP } from 'node:net'
import { ByteTable } from '../../lib/byte-table.js'
import { trafficClassOf } from './classify.js'
import type { BatchAgent, BatchTarget } from './click-batch.js'
import { isCountry, isName, saidPlace } from './import-line.js'
import { type Geography, type Place, placeOf } from './locate.js'
import { type Referrer, readReferrer } from './name-referrer.js'
import { readAgent } from './read-device.js'
import { clientIp } from './visitor.js'
import { blockWords, halfBlock } from './visitor-numbers.js'

/** Part of some bytes: a value without its quotes. */
export interface Value {
  readonly data: Buffer
  readonly from: number
  readonly to: number
}

export const noLink = -1
const notFoundYet = -2

/** Our choice: visitors of a day or two of a busy service, about 15 MB. */
const mostVisitors = 300_000

export class Known {
  readonly targets: BatchTarget[] = []
  readonly places: Place[] = []
  readonly agents: BatchAgent[] = []
  readonly referrers: Referrer[] = []
  readonly #geography: Geography
  readonly #linkTable = new ByteTable()
  /** By number of link: the number of its target, or what is above. */
  readonly #targetOf: number[] = []
  #openLinks: { readonly link: number; readonly text: string }[] = []
  readonly #agentTable = new ByteTable()
  /** Half a block each, as for visitors. */
  readonly #agentBlocks: number[] = []
  readonly #referrerTable = new ByteTable()
  readonly #saidTable = new ByteTable()
  readonly #saidPlaces: number[] = []
  readonly #saidBytes = Buffer.alloc(1 << 12)
  /** The geography answers with the same object for the same place, mostly. */
  readonly #placeNumbers = new Map<Place, number>()
  readonly #visitorTable = new ByteTable()
  readonly #visitors = new Visitors(mostVisitors)
  readonly #nowhere: number

  constructor(geography: Geography) {
    this.#geography = geography
    this.#nowhere = this.#placeNumber(placeOf(geography, ''))
  }

  /** How much of the memory it takes, about, in bytes. */
  get weight(): number {
    const tables = [this.#linkTable, this.#agentTable, this.#referrerTable, this.#saidTable]
    return tables.reduce((sum, { size, length }) => sum + 2 * length + perEntry * size, perEntry * this.places.length)
  }

  link(data: Buffer, from: number, to: number, hash: number): number {
    const known = this.#linkTable.find(data, from, to, hash)
    if (known >= 0) return known
    const text = textOf(data, from, to)
    if (text === undefined) return -1
    const link = this.#linkTable.add(data, from, to)
    this.#targetOf.push(notFoundYet)
    this.#openLinks.push({ link, text })
    return link
  }

  /** Links whose targets are not known yet; from now on they are `noLink` unless they are aimed. */
  takeOpenLinks(): readonly { readonly link: number; readonly text: string }[] {
    const open = this.#openLinks
    for (const { link } of open) this.#targetOf[link] = noLink
    this.#openLinks = []
    return open
  }

  aim(link: number, target: BatchTarget): void {
    this.#targetOf[link] = this.targets.push(target) - 1
  }

  targetOf(link: number): number {
    return this.#targetOf[link] ?? noLink
  }

  agent(data: Buffer, from: number, to: number, hash: number): number {
    const known = this.#agentTable.find(data, from, to, hash)
    if (known >= 0) return known
    const text = textOf(data, from, to)
    if (text === undefined) return -1
    this.#agentBlocks.push(...halfBlock(text))
    this.agents.push({ trafficClass: trafficClassOf(text), ...readAgent(text) })
    return this.#agentTable.add(data, from, to)
  }

  referrer(data: Buffer, from: number, to: number, hash: number): number {
    const known = this.#referrerTable.find(data, from, to, hash)
    if (known >= 0) return known
    const text = textOf(data, from, to)
    if (text === undefined) return -1
    this.referrers.push(readReferrer(text))
    return this.#referrerTable.add(data, from, to)
  }

  /** Whoever has this address. Its number is good until the next visitor is asked for. */
  visitor(data: Buffer, from: number, to: number, hash: number): number {
    // That is nobody's place in the table, and not an address.
    if (from === to) return -1
    const known = this.#visitorTable.find(data, from, to, hash)
    if (known >= 0) return known
    const text = textOf(data, from, to)
    if (text === undefined || isIP(text) === 0) return -1
    return this.#addVisitor(data, from, to, clientIp(text, 0))
  }

  /** Whoever has no address. */
  nobody(): number {
    const known = this.#visitorTable.find(noBytes, 0, 0)
    return known >= 0 ? known : this.#addVisitor(noBytes, 0, 0, '')
  }

  #addVisitor(data: Buffer, from: number, to: number, address: string): number {
    if (this.#visitorTable.size === mostVisitors) this.#visitorTable.clear()
    const visitor = this.#visitorTable.add(data, from, to)
    const place = address === '' ? this.#nowhere : this.#placeNumber(placeOf(this.#geography, address))
    this.#visitors.set(visitor, address, place)
    return visitor
  }

  placeOfVisitor(visitor: number): number {
    return this.#visitors.places[visitor] ?? this.#nowhere
  }

  /** What makes the visitor with this agent one and the same, for VisitorNumbers, to where the blocks of a row begin. */
  writeBlock(blocks: Uint32Array, row: number, visitor: number, agent: number): void {
    const start = blockWords * row
    blocks[start] = this.#visitors.blocks[2 * visitor] ?? 0
    blocks[start + 1] = this.#visitors.blocks[2 * visitor + 1] ?? 0
    blocks[start + 2] = this.#agentBlocks[2 * agent] ?? 0
    blocks[start + 3] = this.#agentBlocks[2 * agent + 1] ?? 0
  }

  /** The place that a line names; parts that it does not name are empty. */
  saidPlace(country: Value | undefined, region: Value | undefined, city: Value | undefined): number {
    const bytes = this.#saidBytes
    let length = 0
    for (const value of [country, region, city]) {
      if (value) {
        // Nobody writes that much; whoever does is told elsewhere. There is room for what stands between them, too.
        if (length + value.to - value.from + 3 > bytes.length) return -1
        length += value.data.copy(bytes, length, value.from, value.to)
      }
      // What is not said differs from what is said to be nothing.
      bytes[length++] = value ? 0 : 1
    }
    const known = this.#saidTable.find(bytes, 0, length)
    if (known >= 0) return this.#saidPlaces[known] ?? this.#nowhere
    const [land, area, town] = [country, region, city].map((value) => value && textOf(value.data, value.from, value.to))
    if (!isCountry(land) || !isName(area) || !isName(town)) return -1
    const place = saidPlace(land, area, town)
    if (!place) return -1
    this.#saidPlaces.push(this.#placeNumber(place))
    return this.#saidPlaces[this.#saidTable.add(bytes, 0, length)] ?? this.#nowhere
  }

  #placeNumber(place: Place): number {
    const known = this.#placeNumbers.get(place)
    if (known !== undefined) return known
    const number = this.places.push(place) - 1
    this.#placeNumbers.set(place, number)
    return number
  }
}

const noBytes = Buffer.alloc(0)

/** Our choice: what an entry takes besides its text, in either thread. */
const perEntry = 200

/** By number, in columns: as objects they would be copied by the garbage collector again and again. */
class Visitors {
  readonly places: Uint32Array
  /** Two words each. */
  readonly blocks: Uint32Array

  constructor(most: number) {
    this.places = new Uint32Array(most)
    this.blocks = new Uint32Array(2 * most)
  }

  set(visitor: number, address: string, place: number): void {
    this.places[visitor] = place
    this.blocks.set(halfBlock(address), 2 * visitor)
  }
}

/** Undefined where its escapes are none. */
function textOf(data: Buffer, from: number, to: number): string | undefined {
  const text = data.toString('utf8', from, to)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}
