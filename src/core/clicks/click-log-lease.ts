/**
 * Keeps two processes from counting clicks of the same records in two click logs, whose reports would differ. Shared
 * records name the one data directory that holds the click log. Its process proves that it lives by a heartbeat. Nobody's
 * clock is compared: whoever wants to know whether a holder lives watches its heartbeat for a while.
 */
import { type ClickLogHome, type ClickLogHomeStore, inClickhouse } from './click-log-home-store.js'

export interface LeaseDeps {
  readonly clickLogHome: ClickLogHomeStore
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Who wants to hold it. */
export type Claim = Omit<ClickLogHome, 'heartbeat'>

/** `held`, or what is in the way: another home, or a process that lives and uses this very one. */
export type Claimed =
  | { readonly held: ClickLogHome }
  | { readonly refused: 'elsewhere' | 'in use'; readonly home: ClickLogHome }

const heartbeatInterval = 2_000
/** Longer than two heartbeats: one may be late. */
const watchFor = 5_000

/** The click log of the data directory that it has been in so far, or of the first one that asks. */
export async function claimClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return take(deps, claim, (home) => home.id === claim.id)
}

/** From wherever it has been so far, unless somebody uses it there. */
export async function moveClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return take(deps, claim, () => true)
}

async function take(deps: LeaseDeps, claim: Claim, mayFollow: (home: ClickLogHome) => boolean): Promise<Claimed> {
  for (;;) {
    const home = await deps.clickLogHome.read()
    if (home && !mayFollow(home)) return { refused: 'elsewhere', home }
    if (home && !(await isFree(deps, home, claim))) return { refused: 'in use', home }
    const next = { ...claim, heartbeat: (home?.heartbeat ?? 0) + 1 }
    // Lost a race when false: what the winner wrote is looked at.
    if (await deps.clickLogHome.replace(home, next)) return { held: next }
  }
}

/**
 * After a crash the same place starts again at once: that nobody else uses the folder there was checked before. In any
 * other place (a restored volume, a copy) the former holder may still live.
 */
async function isFree({ clickLogHome, wait }: LeaseDeps, home: ClickLogHome, claim: Claim): Promise<boolean> {
  if (home.holder === '' || home.id === inClickhouse) return true
  if (home.id === claim.id && home.place === claim.place) return true
  await wait(watchFor)
  return (await clickLogHome.read())?.heartbeat === home.heartbeat
}

/** Keeps what was claimed, until it is closed. */
export class ClickLogLease {
  readonly #store: ClickLogHomeStore
  readonly #onLost: (other: ClickLogHome | undefined) => void
  readonly #timer: NodeJS.Timeout
  #home: ClickLogHome
  #lost: string | undefined
  #beating: Promise<void> = Promise.resolve()

  /** `onLost` is called once, when another process has taken it although this one lives. */
  constructor(store: ClickLogHomeStore, held: ClickLogHome, onLost: (other: ClickLogHome | undefined) => void) {
    this.#store = store
    this.#home = held
    this.#onLost = onLost
    this.#timer = setInterval(() => {
      this.#beating = this.#beat()
    }, heartbeatInterval)
    this.#timer.unref()
  }

  /** Where the click log was taken to; undefined while it is held. */
  get lost(): string | undefined {
    return this.#lost
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    // A database that is away is no reason not to stop: the next start watches for a moment.
    await this.#replace({ ...this.#home, holder: '' }).catch(() => undefined)
  }

  async #beat(): Promise<void> {
    try {
      if (this.#lost !== undefined || (await this.#replace(this.#home))) return
      const other = await this.#store.read()
      this.#lost = other?.place ?? 'nowhere'
      this.#onLost(other)
    } catch {
      // The database is away: nobody can take the click log meanwhile either.
    }
  }

  async #replace(next: ClickLogHome): Promise<boolean> {
    const written = { ...next, heartbeat: this.#home.heartbeat + 1 }
    if (!(await this.#store.replace(this.#home, written))) return false
    this.#home = written
    return true
  }
}
