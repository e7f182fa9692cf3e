/**
 * Prevents two processes from writing the clicks of one database to two click logs, whose reports would differ. The shared
 * database names the one data directory with the click log, or ClickHouse, which all processes may use.
 */

import type { LeaseRow } from './click-store.js'
import { type Claim, type Claimed, claimLease, type LeaseDeps } from './lease.js'

/** The name of the lease. */
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
