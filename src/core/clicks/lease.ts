/**
 * A lease on a shared resource: one holder at a time, kept alive by a heartbeat. No clocks are compared: a claimant watches
 * the heartbeat for a while to see whether the holder is alive.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import type { LeaseRow, LeaseStore } from './click-store.js'

export interface LeaseDeps {
  readonly lease: LeaseStore
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** The wanted holder. */
export type Claim = Omit<LeaseRow, 'heartbeat'>

/** `held`, or the reason: it belongs elsewhere, or a live process uses it. */
export type Claimed = { readonly held: LeaseRow } | { readonly refused: 'elsewhere' | 'in use'; readonly by: LeaseRow }

export interface ClaimRules {
  /** False where the lease belongs to another holder for good, alive or not. */
  readonly mayFollow?: (former: LeaseRow) => boolean
  /** True where the former holder is known to be dead. */
  readonly isFree?: (former: LeaseRow) => boolean
  /** How long to watch for a heartbeat, in milliseconds. Several heartbeats, because one may be late. */
  readonly watchFor?: number
}

const heartbeatInterval = 1_000
/** How often to read the heartbeat while watching. */
const pollInterval = 250

export async function claimLease(
  deps: LeaseDeps,
  claim: Claim,
  { mayFollow = () => true, isFree = () => false, watchFor = 5_000 }: ClaimRules = {},
): Promise<Claimed> {
  for (;;) {
    const former = await deps.lease.read()
    if (former && !mayFollow(former)) return { refused: 'elsewhere', by: former }
    const holder = former && former.holder !== '' && !isFree(former) && (await findLiveHolder(deps, former, watchFor))
    if (holder) return { refused: 'in use', by: holder }
    const next = { ...claim, heartbeat: (former?.heartbeat ?? 0) + 1 }
    // False: another process won the race, so look at its row.
    if (await deps.lease.replace(former, next)) return { held: next }
  }
}

async function findLiveHolder(
  { lease, wait }: LeaseDeps,
  former: LeaseRow,
  watchFor: number,
): Promise<LeaseRow | undefined> {
  for (let watched = 0; watched < watchFor; watched += pollInterval) {
    await wait(pollInterval)
    const now = await lease.read()
    if (!now || now.holder === '') return undefined
    if (now.heartbeat !== former.heartbeat) return now
  }
  return undefined
}

export interface HeldLeaseOptions {
  /** Called once, when another process has taken the lease although this one is alive. */
  readonly onLost?: (other: LeaseRow | undefined) => void
  /** The row to write when the lease is released. */
  readonly releasedRow?: (held: LeaseRow) => LeaseRow | undefined
}

/** Keeps the lease alive until it is closed. */
export class HeldLease {
  readonly #store: LeaseStore
  readonly #onLost: (other: LeaseRow | undefined) => void
  readonly #releasedRow: (held: LeaseRow) => LeaseRow | undefined
  /** One at a time: with a late response, the next heartbeat would look like another process's. */
  readonly #heartbeats = new PeriodicTask(heartbeatInterval, () => this.#beat())
  #held: LeaseRow
  #lost: string | undefined

  constructor(store: LeaseStore, held: LeaseRow, options: HeldLeaseOptions = {}) {
    this.#store = store
    this.#held = held
    this.#onLost = options.onLost ?? (() => {})
    this.#releasedRow = options.releasedRow ?? ((row) => ({ ...row, holder: '' }))
  }

  /** The place that has taken the lease; undefined while it is held. */
  get lost(): string | undefined {
    return this.#lost
  }

  async close(): Promise<void> {
    await this.#heartbeats.close()
    // Stop even if the database is unavailable: the next claimant watches the heartbeat instead.
    await this.#store.replace(this.#held, withNextHeartbeat(this.#releasedRow(this.#held))).catch(() => undefined)
  }

  async #beat(): Promise<void> {
    try {
      if (this.#lost !== undefined) return
      const next = { ...this.#held, heartbeat: this.#held.heartbeat + 1 }
      if (await this.#store.replace(this.#held, next)) {
        this.#held = next
        return
      }
      const other = await this.#store.read()
      // The response to the last heartbeat got lost, not the lease.
      if (other && other.holder === this.#held.holder) {
        this.#held = other
        return
      }
      this.#lost = other?.place ?? 'nowhere'
      this.#onLost(other)
    } catch {
      // While the database is unavailable, nobody else can take the lease either.
    }
  }
}

function withNextHeartbeat(row: LeaseRow | undefined): LeaseRow | undefined {
  return row && { ...row, heartbeat: row.heartbeat + 1 }
}

/**
 * Prevents two processes from writing the clicks of one database to two click logs, whose reports would differ. The shared
 * database names the one data directory with the click log, or ClickHouse, which all processes may use.
 */
export const clickLogLease = 'click-log'

/** Used instead of the id of a data directory. */
export const inClickhouse = 'clickhouse'

/** Claims the click log for its current data directory, or for the first one. */
export function claimClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return claimLease(deps, claim, { mayFollow: ({ id }) => id === claim.id, isFree: isFreeFor(claim) })
}

/** Moves the click log here, unless another process uses it. */
export function moveClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return claimLease(deps, claim, { isFree: isFreeFor(claim) })
}

/**
 * After a crash the same place can restart at once: the data directory's own lock shows that nobody else uses it. In
 * another place (a restored volume, a copy) the former holder may still be alive.
 */
function isFreeFor(claim: Claim): (home: LeaseRow) => boolean {
  return ({ id, place }) => id === inClickhouse || (id === claim.id && place === claim.place)
}
