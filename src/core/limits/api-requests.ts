/**
 * How many requests an organization makes to the API in a month, and the plan's limit on it. Requests are counted in
 * memory and written once a second: exact in one process. Of several, each knows what the others let through until a
 * second ago. What was counted since the last writing is lost when the process is killed.
 */
import type { Actor } from '../accounts/actor.js'
import type { CountedUse, UsageStore } from '../usage/usage-store.js'
import { dayLength } from '../usage/usage-store.js'
import type { Clock } from '../values/clock.js'
import { limitReached, monthOf } from './plan.js'
import type { PlanCheckDeps } from './plans.js'

export interface ApiRequestDeps extends PlanCheckDeps {
  readonly usage: Pick<UsageStore, 'add' | 'perDay'>
  readonly clock: Clock
  /** Told when the counts could not be written; they are tried again a second later. */
  readonly onFailure: (error: unknown) => void
}

// One write a second for all requests (docs/api/limits.md#monthly-limits).
const writeEvery = 1000
// Our choice: others may have used the allowance while nobody asked here.
const trustedFor = 2000

export class ApiRequests {
  readonly #deps: ApiRequestDeps
  #pending = new Map<string, Pending>()
  readonly #months = new Map<string, Month>()
  readonly #reading = new Map<string, Promise<void>>()
  #busy: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false
  refused = 0

  constructor(deps: ApiRequestDeps) {
    this.#deps = deps
  }

  /** Counts a request for the organization of the actor's default group. A promise only where the store must be asked. */
  count(actor: Actor): undefined | Promise<void> {
    // Our choice: whatever the request is about, so that it is known before the request is read.
    const home = actor.groups.find(({ groupGuid }) => groupGuid === actor.defaultGroupGuid) ?? actor.groups[0]
    if (!home) return undefined
    const { groupGuid, organizationGuid } = home
    const limit = this.#deps.plans.limitsOf(organizationGuid)?.api_requests
    if (limit === undefined) return this.#add(groupGuid, organizationGuid, this.#deps.clock.now())
    return this.#spend(groupGuid, organizationGuid, limit)
  }

  /** Writes what is outstanding; the store must still be open. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.write()
  }

  /** Writes what was counted so far. */
  write(): Promise<void> {
    return this.#inTurn(() => this.#write())
  }

  #spend(groupGuid: string, organizationGuid: string, limit: number): undefined | Promise<void> {
    const now = this.#deps.clock.now()
    const month = this.#months.get(organizationGuid)
    if (!month || month.start !== monthOf(now).from || Math.abs(now - month.readAt) > trustedFor) {
      return this.#read(organizationGuid).then(() => this.#spendKnown(groupGuid, organizationGuid, limit))
    }
    return this.#spendKnown(groupGuid, organizationGuid, limit)
  }

  #spendKnown(groupGuid: string, organizationGuid: string, limit: number): undefined {
    const now = this.#deps.clock.now()
    const month = this.#months.get(organizationGuid)
    if (month && month.written + month.since >= limit) {
      this.refused += 1
      throw limitReached('api_requests', limit, now)
    }
    if (month) month.since += 1
    return this.#add(groupGuid, organizationGuid, now)
  }

  #add(groupGuid: string, organizationGuid: string, at: number): undefined {
    const known = this.#pending.get(groupGuid)
    if (known && known.organizationGuid === organizationGuid && known.day === dayOf(at)) known.count += 1
    else this.#addAnother(groupGuid, organizationGuid, at)
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeEvery).unref()
  }

  /** The group's first since the last writing, or its first of a day. */
  #addAnother(groupGuid: string, organizationGuid: string, at: number): void {
    const before = this.#pending.get(groupGuid)
    if (before) this.#pending.set(`${groupGuid} ${before.organizationGuid} ${before.day}`, before)
    this.#pending.set(groupGuid, { groupGuid, organizationGuid, day: dayOf(at), count: 1 })
  }

  async #writeInBackground(): Promise<void> {
    this.#timer = undefined
    try {
      await this.write()
    } catch (error) {
      this.#deps.onFailure(error)
      if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeEvery).unref()
    }
  }

  async #write(): Promise<void> {
    const batch = [...this.#pending.values()]
    if (batch.length === 0) return
    this.#pending = new Map()
    try {
      await this.#deps.usage.add(batch.map(asUse))
    } catch (error) {
      for (const [index, each] of batch.entries()) this.#pending.set(`again ${index}`, each)
      throw error
    }
    const organizations = new Set(batch.map(({ organizationGuid }) => organizationGuid))
    for (const guid of organizations) if (this.#months.has(guid)) await this.#readMonth(guid, batch)
  }

  /** What all processes wrote; those who come while it is read wait for the same answer. */
  #read(organizationGuid: string): Promise<void> {
    const known = this.#reading.get(organizationGuid)
    if (known) return known
    const reading = this.#inTurn(async () => {
      // What was counted here must be among what is read.
      await this.#write()
      await this.#readMonth(organizationGuid, [])
    }).finally(() => this.#reading.delete(organizationGuid))
    this.#reading.set(organizationGuid, reading)
    return reading
  }

  async #readMonth(organizationGuid: string, justWritten: readonly Pending[]): Promise<void> {
    const now = this.#deps.clock.now()
    const span = monthOf(now)
    const before = this.#months.get(organizationGuid)
    const days = await this.#deps.usage.perDay({ organizationGuid }, ['api_requests'], span).catch((error) => {
      // What was just written would be counted twice: better to begin anew with the next request.
      this.#months.delete(organizationGuid)
      throw error
    })
    const written = days.reduce((sum, { count }) => sum + count, 0)
    // What came while the store was asked is not among what it answered.
    const since = before?.start === span.from ? before.since - sumWithin(justWritten, organizationGuid, span) : 0
    this.#months.set(organizationGuid, { start: span.from, written, since, readAt: now })
  }

  /** One at a time: what is written and what is read must belong together. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#busy.then(work)
    this.#busy = done.catch(() => {})
    return done
  }
}

/** Requests that were counted and not yet written. */
interface Pending {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly day: number
  count: number
}

/** What a limited organization has used: what the store says, and what came since. */
interface Month {
  readonly start: number
  readonly written: number
  since: number
  readonly readAt: number
}

function asUse({ groupGuid, organizationGuid, day, count }: Pending): CountedUse {
  return { groupGuid, organizationGuid, counter: 'api_requests', at: day, count }
}

function sumWithin(
  batch: readonly Pending[],
  organizationGuid: string,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const ours = batch.filter((each) => each.organizationGuid === organizationGuid && each.day >= from && each.day < to)
  return ours.reduce((sum, { count }) => sum + count, 0)
}

function dayOf(at: number): number {
  return at - (at % dayLength)
}
