/**
 * Interns the values that lines of an import share: links, user agents, referrers, places. Each distinct value is parsed
 * once and gets a number, by which a batch refers to it.
 */
import type { BatchAgent, BatchTarget } from './click-batch.js'
import { type Geography, type Location, locationOf } from './locate.js'
import { type Referrer, readReferrer } from './referrer.js'
import { readAgent, trafficClassOf } from './user-agent.js'
import { clientIp } from './visitor.js'
import { type HalfBlock, halfBlock } from './visitor-numbers.js'

/** The facts about an IP address. */
export interface VisitorFacts {
  /** Number of its place. */
  readonly place: number
  readonly half: HalfBlock
}

/** The visitors of a busy service's day or two, about 40 MB. */
const maxVisitors = 200_000

/** Estimated bytes of an entry besides its text. */
const perEntry = 200

export class ImportTables {
  readonly targets: BatchTarget[] = []
  readonly places: Location[] = []
  readonly agents: BatchAgent[] = []
  readonly referrers: Referrer[] = []
  /** By agent number. */
  readonly halves: HalfBlock[] = []
  readonly #geography: Geography
  /** By the link as written in the file; undefined for links that do not exist. */
  readonly #links = new Map<string, number | undefined>()
  readonly #agents = new Map<string, number>()
  readonly #referrers = new Map<string, number>()
  readonly #visitors = new Map<string, VisitorFacts>()
  /** By object identity: the geography mostly returns the same object for the same place. */
  readonly #places = new Map<Location, number>()
  readonly #givenPlaces = new Map<string, number>()
  /** Estimated memory in bytes, without visitors, which have their own limit. */
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

  visitor(ip: string): VisitorFacts {
    const known = this.#visitors.get(ip)
    if (known) return known
    if (this.#visitors.size === maxVisitors) this.#visitors.clear()
    const address = clientIp(ip, 0)
    const visitor = { place: this.#placeNumber(locationOf(this.#geography, address)), half: halfBlock(address) }
    this.#visitors.set(ip, visitor)
    return visitor
  }

  /** The number of a place that a line gives itself. */
  givenPlace(place: Location): number {
    const key = `${place.country}\n${place.region}\n${place.city}`
    const known = this.#givenPlaces.get(key)
    if (known !== undefined) return known
    this.#weigh(key)
    const number = this.#placeNumber(place)
    this.#givenPlaces.set(key, number)
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
