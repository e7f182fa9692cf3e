/**
 * The clicks of one group or link as server-sent events: one event for each click, and above a rate one count a second.
 * All readers of a feed get the same text. It remembers enough to resume: how many clicks there were, and the last ones.
 */
import { randomBytes } from 'node:crypto'

/** Clicks a second with an event of their own; the others of that second are counted (docs/api/events.md#events). */
export const singlePerSecond = 20

/** A few kilobytes. Who resumes gets these one by one, and older ones as a count. */
const maxRecent = 16

/** How long browsers wait until they connect again, in milliseconds. */
const retryAfter = 3_000

export class Feed {
  /** Ids of another feed, or of one before a restart, mean nothing here. */
  readonly #name = randomBytes(6).toString('hex')
  #total = 0
  #counted = 0
  #inSecond = 0
  #secondEnds = 0
  #unsent = ''
  /** How many clicks were told before the last gap; undefined without a gap. */
  #gapAfter: number | undefined
  readonly #recent: { readonly number: number; readonly event: string }[] = []

  add(data: string, now: number): void {
    this.#endSecond(now)
    this.#inSecond += 1
    if (this.#inSecond > singlePerSecond) {
      this.#count(1)
      return
    }
    this.#total += 1
    const event = eventText('click', data, this.#id(this.#total))
    this.#unsent += event
    this.#recent.push({ number: this.#total, event })
    if (this.#recent.length > maxRecent) this.#recent.shift()
  }

  /** Clicks without an event of their own. */
  addCount(count: number, now: number): void {
    this.#endSecond(now)
    this.#count(count)
  }

  /** Clicks may have been lost on the way here: readers should ask for the numbers again. */
  addGap(): void {
    this.#endSecond(Number.POSITIVE_INFINITY)
    this.#gapAfter = this.#total
    this.#unsent += this.#missedEvent()
  }

  /** The events since the last call; counts only when their second is over. */
  take(now: number): string {
    this.#endSecond(now)
    const events = this.#unsent
    this.#unsent = ''
    return events
  }

  /** As `take`, with the count of the unfinished second: a reader who joins now continues after it. */
  takeAll(): string {
    return this.take(Number.POSITIVE_INFINITY)
  }

  /** Whether `take` will have something, now or when the second is over. */
  get isEmpty(): boolean {
    return this.#unsent === '' && this.#counted === 0
  }

  /**
   * What a new reader gets first: what it missed since `lastEventId`; or, if this feed does not know that id, that it
   * missed something.
   */
  begin(lastEventId: string | undefined): string {
    const last = this.#numberIn(lastEventId)
    const head = `retry: ${retryAfter}\n`
    if (last === undefined) {
      const ready = head + eventText('ready', '{"resumed":false}', this.#id(this.#total))
      return lastEventId ? ready + this.#missedEvent() : ready
    }
    const recent = this.#recent.filter(({ number }) => number > last)
    const counted = this.#total - last - recent.length
    return [
      head,
      eventText('ready', '{"resumed":true}', this.#id(last)),
      ...recent.map(({ event }) => event),
      counted > 0 ? this.#countEvent(counted) : '',
      this.#gapAfter !== undefined && last <= this.#gapAfter ? this.#missedEvent() : '',
    ].join('')
  }

  #count(clicks: number): void {
    this.#total += clicks
    this.#counted += clicks
  }

  #endSecond(now: number): void {
    if (now < this.#secondEnds) return
    if (this.#counted > 0) this.#unsent += this.#countEvent(this.#counted)
    this.#counted = 0
    this.#inSecond = 0
    this.#secondEnds = Number.isFinite(now) ? now + 1_000 : 0
  }

  #countEvent(count: number): string {
    return eventText('clicks', JSON.stringify({ count }), this.#id(this.#total))
  }

  #missedEvent(): string {
    return eventText('missed', '{}', this.#id(this.#total))
  }

  #id(number: number): string {
    return `${this.#name}-${number}`
  }

  #numberIn(id: string | undefined): number | undefined {
    const [, name, number] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id ?? '') ?? []
    return name === this.#name && Number(number) <= this.#total ? Number(number) : undefined
  }
}

function eventText(type: 'click' | 'clicks' | 'missed' | 'ready', data: string, id: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}
