/**
 * Lets one process at a time hold something that is shared, and nobody hold it for ever: a holder proves that it lives by
 * a heartbeat. Nobody's clock is compared: whoever wants to know whether a holder lives watches its heartbeat for a while.
 */
import type { LeaseRow, LeaseStore } from './lease-store.js'

export interface LeaseDeps {
  readonly lease: LeaseStore
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Who wants to hold it. */
export type Claim = Omit<LeaseRow, 'heartbeat'>

/** `held`, or what is in the way: somewhere else that it belongs to, or a process that lives and uses it. */
export type Claimed = { readonly held: LeaseRow } | { readonly refused: 'elsewhere' | 'in use'; readonly by: LeaseRow }

export interface ClaimRules {
  /** False where it belongs to somebody else for good, whether that lives or not. */
  readonly mayFollow?: (former: LeaseRow) => boolean
  /** True where the former holder is known not to use it any more. */
  readonly isFree?: (former: LeaseRow) => boolean
  /** For how long a holder that shows no heartbeat is watched, in milliseconds; several heartbeats, for one may be late. */
  readonly watchFor?: number
}

const heartbeatInterval = 1_000
/** A holder that lives is noticed at its next heartbeat. */
const lookEvery = 250

export async function claimLease(
  deps: LeaseDeps,
  claim: Claim,
  { mayFollow = () => true, isFree = () => false, watchFor = 5_000 }: ClaimRules = {},
): Promise<Claimed> {
  for (;;) {
    const former = await deps.lease.read()
    if (former && !mayFollow(former)) return { refused: 'elsewhere', by: former }
    const living = former && former.holder !== '' && !isFree(former) && (await seenAlive(deps, former, watchFor))
    if (living) return { refused: 'in use', by: living }
    const next = { ...claim, heartbeat: (former?.heartbeat ?? 0) + 1 }
    // Lost a race when false: what the winner wrote is looked at.
    if (await deps.lease.replace(former, next)) return { held: next }
  }
}

async function seenAlive(
  { lease, wait }: LeaseDeps,
  former: LeaseRow,
  watchFor: number,
): Promise<LeaseRow | undefined> {
  for (let watched = 0; watched < watchFor; watched += lookEvery) {
    await wait(lookEvery)
    const now = await lease.read()
    if (!now || now.holder === '') return undefined
    if (now.heartbeat !== former.heartbeat) return now
  }
  return undefined
}

export interface HeldLeaseOptions {
  /** Called once, when another process has taken it although this one lives. */
  readonly onLost?: (other: LeaseRow | undefined) => void
  /** What is left when it is given back. */
  readonly left?: (held: LeaseRow) => LeaseRow | undefined
}

/** Keeps what was claimed, until it is closed. */
export class HeldLease {
  readonly #store: LeaseStore
  readonly #onLost: (other: LeaseRow | undefined) => void
  readonly #left: (held: LeaseRow) => LeaseRow | undefined
  readonly #timer: NodeJS.Timeout
  #held: LeaseRow
  #lost: string | undefined
  #beating: Promise<void> | undefined

  constructor(store: LeaseStore, held: LeaseRow, options: HeldLeaseOptions = {}) {
    this.#store = store
    this.#held = held
    this.#onLost = options.onLost ?? (() => {})
    this.#left = options.left ?? ((row) => ({ ...row, holder: '' }))
    this.#timer = setInterval(() => {
      // One at a time: a late answer would make the next heartbeat look like another process'.
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = undefined
      })
    }, heartbeatInterval)
    this.#timer.unref()
  }

  /** Where it was taken to; undefined while it is held. */
  get lost(): string | undefined {
    return this.#lost
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    // A database that is away is no reason not to stop: the next one to claim it watches for a moment.
    await this.#store.replace(this.#held, beaten(this.#left(this.#held))).catch(() => undefined)
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
      // The answer to the last heartbeat was lost on its way, not the lease.
      if (other && other.holder === this.#held.holder) {
        this.#held = other
        return
      }
      this.#lost = other?.place ?? 'nowhere'
      this.#onLost(other)
    } catch {
      // The database is away: nobody can take the lease meanwhile either.
    }
  }
}

function beaten(row: LeaseRow | undefined): LeaseRow | undefined {
  return row && { ...row, heartbeat: row.heartbeat + 1 }
}
