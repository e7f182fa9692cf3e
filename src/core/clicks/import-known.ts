/**
 * What the lines of an import have in common: links, agents, referrers, places. Each has a number, under which a batch
 * names it, and what the pipeline's steps say about it is worked out once.
 */
import type { BatchAgent, BatchTarget } from './click-batch.js'
import { type Geography, type Location, locationOf } from './locate.js'
import { type Referrer, readReferrer } from './referrer.js'
import { readAgent, trafficClassOf } from './user-agent.js'
import { clientIp } from './visitor.js'
import { type HalfBlock, halfBlock } from './visitor-numbers.js'

/** Whoever has an address. */
export interface KnownVisitor {
  /** Number of the place where it is. */
  readonly place: number
  readonly half: HalfBlock
}

/** Our choice: visitors of a day or two of a busy service, about 40 MB. */
const maxVisitors = 200_000

/** Our choice: what an entry takes besides its text, in either thread. */
const perEntry = 200

export class Known {
  readonly targets: BatchTarget[] = []
  readonly places: Location[] = []
  readonly agents: BatchAgent[] = []
  readonly referrers: Referrer[] = []
  /** By agent. */
  readonly halves: HalfBlock[] = []
  readonly #geography: Geography
  /** By the link as it is written; undefined: there is none. */
  readonly #links = new Map<string, number | undefined>()
  readonly #agents = new Map<string, number>()
  readonly #referrers = new Map<string, number>()
  readonly #visitors = new Map<string, KnownVisitor>()
  /** The geography answers with the same object for the same place, mostly. */
  readonly #places = new Map<Location, number>()
  readonly #saidPlaces = new Map<string, number>()
  /** How much of the memory it takes, about, in bytes. Visitors are counted apart. */
  #weight = 0

  constructor(geography: Geography) {
    this.#geography = geography
  }

  get weight(): number {
    return this.#weight
  }

  hasLink(link: string): boolean {
    return this.#links.has(link)
  }

  setLink(link: string, target: BatchTarget | undefined): void {
    this.#weigh(link)
    this.#links.set(link, target && this.targets.push(target) - 1)
  }

  targetOf(link: string): number | undefined {
    return this.#links.get(link)
  }

  agent(text: string): number {
    const known = this.#agents.get(text)
    if (known !== undefined) return known
    this.#weigh(text)
    this.halves.push(halfBlock(text))
    const number = this.agents.push({ trafficClass: trafficClassOf(text), ...readAgent(text) }) - 1
    this.#agents.set(text, number)
    return number
  }

  referrer(text: string): number {
    const known = this.#referrers.get(text)
    if (known !== undefined) return known
    this.#weigh(text)
    const number = this.referrers.push(readReferrer(text)) - 1
    this.#referrers.set(text, number)
    return number
  }

  visitor(ip: string): KnownVisitor {
    const known = this.#visitors.get(ip)
    if (known) return known
    if (this.#visitors.size === maxVisitors) this.#visitors.clear()
    const address = clientIp(ip, 0)
    const visitor = { place: this.#placeNumber(locationOf(this.#geography, address)), half: halfBlock(address) }
    this.#visitors.set(ip, visitor)
    return visitor
  }

  /** The place that a line names. */
  saidPlace(place: Location): number {
    const key = `${place.country}\n${place.region}\n${place.city}`
    const known = this.#saidPlaces.get(key)
    if (known !== undefined) return known
    this.#weigh(key)
    const number = this.#placeNumber(place)
    this.#saidPlaces.set(key, number)
    return number
  }

  #placeNumber(place: Location): number {
    const known = this.#places.get(place)
    if (known !== undefined) return known
    this.#weight += perEntry
    const number = this.places.push(place) - 1
    this.#places.set(place, number)
    return number
  }

  #weigh(text: string): void {
    this.#weight += 2 * text.length + perEntry
  }
}
