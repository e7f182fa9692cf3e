/**
 * Clicks on their way from one thread to another. As objects they would cost more to send than to make. So what clicks
 * have in common is sent once and known by its number from then on, in this batch and in later ones, and numbers are in
 * memory that changes hands. Batches must be unpacked in the order they were packed in, all of them.
 */
import type { Click, Device, EngagementKind, Nature } from '../core/clicks/click.js'
import { RecentWords } from '../lib/recent-words.js'

export interface ClickColumns {
  /** All that was known before is forgotten. */
  readonly anew: boolean
  readonly at: Float64Array
  readonly visitorHash: BigUint64Array
  /** Ids end with a number of their own; the rest is the same for many. */
  readonly eventStems: Column
  readonly eventNumber: Uint32Array
  /** Address, link, group, destination. */
  readonly targets: Column
  /** City, subregion, region, country. */
  readonly places: Column
  /** Browser, system, device, kind and nature in one. */
  readonly agents: Column
  /** As sent, its domain, its name, its network. */
  readonly referrers: Column
}

interface Column {
  /** What was not said before, `width` words at a time. */
  readonly fresh: readonly string[]
  /** Which of all that was said each click has. */
  readonly used: Uint32Array
}

const width = 4

// Our choice: about 20 MB in either thread.
const mostCharacters = 8_000_000

/** What need not be copied. */
export function memoryOf(columns: ClickColumns): ArrayBuffer[] {
  const { at, visitorHash, eventNumber, eventStems, targets, places, agents, referrers } = columns
  const used = [eventStems, targets, places, agents, referrers].map((column) => column.used)
  return [at, visitorHash, eventNumber, ...used].map(({ buffer }) => buffer as ArrayBuffer)
}

export class ClickPacker {
  #said = new Said()

  pack(clicks: readonly Click[]): ClickColumns {
    const anew = this.#said.characters > mostCharacters
    if (anew) this.#said = new Said()
    const { eventStems, targets, places, agents, referrers } = this.#said
    for (const said of this.#said.all) said.begin(clicks.length)
    const at = new Float64Array(clicks.length)
    const visitorHash = new BigUint64Array(clicks.length)
    const eventNumber = new Uint32Array(clicks.length)
    let stem = ''
    let row = 0
    for (const click of clicks) {
      at[row] = click.at
      visitorHash[row] = click.visitorHash
      // Ids of one stem follow each other, so that mostly this one is the one before and 1.
      const next = row > 0 ? (eventNumber[row - 1] ?? 0) + 1 : 0
      if (stem + next === click.eventId) eventNumber[row] = next
      else {
        stem = click.eventId.slice(0, click.eventId.lastIndexOf('-') + 1)
        eventNumber[row] = Number(click.eventId.slice(stem.length))
      }
      eventStems.say(row, stem, '', '', '')
      targets.say(row, click.address, click.linkId, click.groupGuid, click.destination)
      places.say(row, click.city, click.subregion, click.region, click.country)
      agents.say(row, click.browser, click.os, click.device, wordOf[click.kind][click.nature])
      referrers.say(row, click.referrer, click.referrerDomain, click.referrerName, click.referrerNetwork)
      row++
    }
    return {
      anew,
      at,
      visitorHash,
      eventStems: eventStems.end(),
      eventNumber,
      targets: targets.end(),
      places: places.end(),
      agents: agents.end(),
      referrers: referrers.end(),
    }
  }
}

class Said {
  readonly eventStems = new SaidWords()
  readonly targets = new SaidWords()
  readonly places = new SaidWords()
  readonly agents = new SaidWords()
  readonly referrers = new SaidWords()
  readonly all = [this.eventStems, this.targets, this.places, this.agents, this.referrers]

  get characters(): number {
    return this.all.reduce((sum, { characters }) => sum + characters, 0)
  }
}

class SaidWords {
  readonly #numbers = new RecentWords<number>(Number.POSITIVE_INFINITY)
  #count = 0
  #fresh: string[] = []
  #used = new Uint32Array()
  characters = 0

  begin(rows: number): void {
    this.#fresh = []
    this.#used = new Uint32Array(rows)
  }

  say(row: number, first: string, second: string, third: string, fourth: string): void {
    this.#used[row] = this.#numbers.get(first, second, third, fourth) ?? this.#add(first, second, third, fourth)
  }

  #add(first: string, second: string, third: string, fourth: string): number {
    const number = this.#count++
    this.#numbers.set(first, second, third, fourth, number)
    this.#fresh.push(first, second, third, fourth)
    this.characters += first.length + second.length + third.length + fourth.length + width
    return number
  }

  end(): Column {
    return { fresh: this.#fresh, used: this.#used }
  }
}

export class ClickUnpacker {
  #heard = new Heard()

  unpack(columns: ClickColumns): readonly Click[] {
    const { anew, at, visitorHash, eventNumber, eventStems, targets, places, agents, referrers } = columns
    if (anew) this.#heard = new Heard()
    const heard = this.#heard
    heard.listen(columns)
    const clicks: Click[] = []
    for (let row = 0; row < at.length; row++) {
      const target = heard.targets[targets.used[row] ?? 0]
      const place = heard.places[places.used[row] ?? 0]
      const agent = heard.agents[agents.used[row] ?? 0]
      const referrer = heard.referrers[referrers.used[row] ?? 0]
      if (!target || !place || !agent || !referrer) throw new Error('a batch of clicks came without its words')
      // Written out: objects made of others by spreading take ten times as long.
      clicks.push({
        eventId: `${heard.eventStems[eventStems.used[row] ?? 0]}${eventNumber[row]}`,
        at: at[row] ?? 0,
        address: target.address,
        linkId: target.linkId,
        groupGuid: target.groupGuid,
        destination: target.destination,
        kind: agent.kind,
        nature: agent.nature,
        country: place.country,
        region: place.region,
        subregion: place.subregion,
        city: place.city,
        device: agent.device,
        os: agent.os,
        browser: agent.browser,
        referrer: referrer.referrer,
        referrerDomain: referrer.referrerDomain,
        referrerName: referrer.referrerName,
        referrerNetwork: referrer.referrerNetwork,
        visitorHash: visitorHash[row] ?? 0n,
        // Stay behind: only the stream asks for them, and history is not passed on.
        userAgent: '',
        language: '',
      })
    }
    return clicks
  }
}

class Heard {
  readonly eventStems: string[] = []
  readonly targets: Pick<Click, 'address' | 'linkId' | 'groupGuid' | 'destination'>[] = []
  readonly places: Pick<Click, 'country' | 'region' | 'subregion' | 'city'>[] = []
  readonly agents: Pick<Click, 'kind' | 'nature' | 'device' | 'os' | 'browser'>[] = []
  readonly referrers: Pick<Click, 'referrer' | 'referrerDomain' | 'referrerName' | 'referrerNetwork'>[] = []

  listen({ eventStems, targets, places, agents, referrers }: ClickColumns): void {
    for (const [stem] of quads(eventStems)) this.eventStems.push(stem)
    for (const [address, linkId, groupGuid, destination] of quads(targets)) {
      this.targets.push({ address, linkId, groupGuid, destination })
    }
    for (const [city, subregion, region, country] of quads(places)) {
      this.places.push({ country, region, subregion, city })
    }
    for (const [browser, os, device, word] of quads(agents)) {
      const [kind, nature] = word.split(' ')
      // What these can be was decided where they were made.
      this.agents.push({
        kind: kind as EngagementKind,
        nature: nature as Nature,
        device: device as Device,
        os,
        browser,
      })
    }
    for (const [referrer, referrerDomain, referrerName, referrerNetwork] of quads(referrers)) {
      this.referrers.push({ referrer, referrerDomain, referrerName, referrerNetwork })
    }
  }
}

function* quads({ fresh }: Column): Generator<readonly [string, string, string, string]> {
  for (let at = 0; at < fresh.length; at += width) {
    yield [fresh[at] ?? '', fresh[at + 1] ?? '', fresh[at + 2] ?? '', fresh[at + 3] ?? '']
  }
}

const natures: readonly Nature[] = ['human', 'bot', 'preview', 'prefetch', 'head']

/** Both in one word, made once. */
const wordOf: Readonly<Record<EngagementKind, Readonly<Record<Nature, string>>>> = {
  click: wordsFor('click'),
  scan: wordsFor('scan'),
  button: wordsFor('button'),
}

function wordsFor(kind: EngagementKind): Readonly<Record<Nature, string>> {
  return Object.fromEntries(natures.map((nature) => [nature, `${kind} ${nature}`])) as Record<Nature, string>
}
