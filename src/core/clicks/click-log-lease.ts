/**
 * Keeps two processes from counting clicks of the same records in two click logs, whose reports would differ. Shared
 * records name the one data directory that holds the click log, or ClickHouse, which all may use.
 */
import { type Claim, type Claimed, claimLease, type LeaseDeps } from './lease.js'
import type { LeaseRow } from './lease-store.js'

/** Stands for the id of a data directory. */
export const inClickhouse = 'clickhouse'

/** The click log of the data directory that it has been in so far, or of the first one that asks. */
export function claimClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return claimLease(deps, claim, { mayFollow: ({ id }) => id === claim.id, isFree: isFreeFor(claim) })
}

/** From wherever it has been so far, unless somebody uses it there. */
export function moveClickLog(deps: LeaseDeps, claim: Claim): Promise<Claimed> {
  return claimLease(deps, claim, { isFree: isFreeFor(claim) })
}

/**
 * After a crash the same place starts again at once: that nobody else uses the folder there was checked before. In any
 * other place (a restored volume, a copy) the former holder may still live.
 */
function isFreeFor(claim: Claim): (home: LeaseRow) => boolean {
  return ({ id, place }) => id === inClickhouse || (id === claim.id && place === claim.place)
}
