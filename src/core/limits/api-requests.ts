/**
 * Counts API requests per organization and month, and enforces the plan's limit. Counts are kept in memory and written
 * once a second: exact with one process. Several processes see each other's counts with a delay of a second. A killed
 * process loses the counts since its last write.
 */
import { SerialQueue } from '../../lib/serial-queue.js'
import type { Actor } from '../accounts/actor.js'
import { type CountedUse, dayLength, type UsageStore } from '../usage/usage-store.js'
import type { Clock } from '../values/time.js'
import { limitReached, monthOf } from './plan.js'
import type { PlanCheckDeps } from './plans.js'

export interface ApiRequestDeps extends PlanCheckDeps {
  readonly usage: Pick<UsageStore, 'add' | 'perDay'>
  readonly clock: Clock
  /** Called when the counts cannot be written; the write is retried a second later. */
  readonly onFailure: (error: unknown) => void
}

// One write per second for all requests (docs/api/limits.md#monthly-limits).
const writeInterval = 1000
// Other processes may have used the allowance in the meantime, so older counts are read again.
const maxAge = 2000

export class ApiRequests {
  readonly #deps: ApiRequestDeps
  #pending = new Map<string, Pending>()
  readonly #months = new Map<string, Month>()
  readonly #reading = new Map<string, Promise<void>>()
  /** One task at a time, so a read never overlaps a write. */
  readonly #tasks = new SerialQueue()
  #timer: NodeJS.Timeout | undefined
  #closed = false
  refused = 0

  constructor(deps: ApiRequestDeps) {
    this.#deps = deps
  }

  /** Counts a request for the organization of the actor's default group. Returns a promise only when it reads the store. */
  count(actor: Actor): undefined | Promise<void> {
    // The default group, whatever group the request is about: the limit is checked before the request is parsed.
    const defaultGroup = actor.groups.find(({ groupGuid }) => groupGuid === actor.defaultGroupGuid) ?? actor.groups[0]
    if (!defaultGroup) return undefined
    const { groupGuid, organizationGuid } = defaultGroup
    const limit = this.#deps.plans.limitsOf(organizationGuid)?.api_requests
    if (limit === undefined) return this.#add(groupGuid, organizationGuid, this.#deps.clock.now())
    return this.#spend(groupGuid, organizationGuid, limit)
  }

  /** Writes the outstanding counts; call it before the store closes. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.write()
  }

  /** Writes the outstanding counts now. */
  write(): Promise<void> {
    return this.#tasks.run(() => this.#write())
  }

  #spend(groupGuid: string, organizationGuid: string, limit: number): undefined | Promise<void> {
    const now = this.#deps.clock.now()
    const month = this.#months.get(organizationGuid)
    if (!month || month.start !== monthOf(now).from || Math.abs(now - month.readAt) > maxAge) {
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
    if (known && known.organizationGuid === organizationGuid && known.day === dayOf(at)) {
      known.count += 1
      known.lastAt = at
    } else this.#addFirst(groupGuid, organizationGuid, at)
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeInterval).unref()
  }

  /** The first request of a group since the last write, or on a new day. */
  #addFirst(groupGuid: string, organizationGuid: string, at: number): void {
    const before = this.#pending.get(groupGuid)
    if (before) this.#pending.set(`${groupGuid} ${before.organizationGuid} ${before.day}`, before)
    this.#pending.set(groupGuid, { groupGuid, organizationGuid, day: dayOf(at), count: 1, lastAt: at })
  }

  async #writeInBackground(): Promise<void> {
    this.#timer = undefined
    try {
      await this.write()
    } catch (error) {
      this.#deps.onFailure(error)
      if (!this.#closed) this.#timer ??= setTimeout(() => void this.#writeInBackground(), writeInterval).unref()
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

  /** Reads the counts of all processes; concurrent callers share one read. */
  #read(organizationGuid: string): Promise<void> {
    const known = this.#reading.get(organizationGuid)
    if (known) return known
    const reading = this.#tasks
      .run(async () => {
        // Write first, so the read includes this process's counts.
        await this.#write()
        await this.#readMonth(organizationGuid, [])
      })
      .finally(() => this.#reading.delete(organizationGuid))
    this.#reading.set(organizationGuid, reading)
    return reading
  }

  async #readMonth(organizationGuid: string, justWritten: readonly Pending[]): Promise<void> {
    const now = this.#deps.clock.now()
    const span = monthOf(now)
    const before = this.#months.get(organizationGuid)
    const days = await this.#deps.usage.perDay({ organizationGuid }, ['api_requests'], span).catch((error) => {
      // Otherwise the counts just written would count twice; the next request reads the month again.
      this.#months.delete(organizationGuid)
      throw error
    })
    const written = days.reduce((sum, { count }) => sum + count, 0)
    // Requests counted during the read are not part of its result.
    const since = before?.start === span.from ? before.since - sumWithin(justWritten, organizationGuid, span) : 0
    this.#months.set(organizationGuid, { start: span.from, written, since, readAt: now })
  }
}

/** Counted requests that are not written yet. */
interface Pending {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly day: number
  count: number
  /** Of the newest request: when a limit was reached. */
  lastAt: number
}

/** Requests of a limited organization: `written` in the store at `readAt`, and `since` then in this process. */
interface Month {
  readonly start: number
  readonly written: number
  since: number
  readonly readAt: number
}

function asUse({ groupGuid, organizationGuid, count, lastAt: at }: Pending): CountedUse {
  return { groupGuid, organizationGuid, counter: 'api_requests', at, count }
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
