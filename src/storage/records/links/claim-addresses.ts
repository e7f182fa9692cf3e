/**
 * Random addresses for new links and global hashes. A transaction claims an address by inserting its row, so of two that
 * drew the same one the second draws again.
 */
import type { Transaction } from 'kysely'
import type { DrawHash } from '../../../core/values/random.js'
import type { Schema } from '../../sql/tables/schema.js'

/** A random address; another one is drawn if it is taken. */
export interface Claim {
  readonly domain: string
  readonly newHash: DrawHash
  hash: string
  address: string
  draws: number
}

/** Draws an address for each claim and inserts it; further draws for those that were taken. */
export async function claimAddresses<C extends Claim>(
  tx: Transaction<Schema>,
  claims: readonly C[],
  insert: (claims: readonly C[]) => Promise<{ readonly count: number }>,
): Promise<void> {
  const drawn = new Set<string>()
  for (let open = claims; open.length > 0; ) {
    for (const claim of open) draw(claim, drawn, open[0])
    if ((await insert(open)).count === open.length) return
    const taken = await takenAmong(tx, open)
    open = open.filter((claim) => taken.has(claim.address))
  }
}

/** The claimed addresses that another link holds: our own are hashes whose link is not written yet. */
async function takenAmong(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
  const addresses = claims.map((claim) => claim.address)
  const rows = await tx
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.address')
    .select('addresses.address')
    .where('addresses.address', 'in', addresses)
    .where((eb) => eb.or([eb('addresses.kind', '!=', 'hash'), eb('links.id', 'is not', null)]))
    .execute()
  return new Set(rows.map((row) => row.address))
}

/**
 * Draws a hash that is unique in this transaction, on any domain. The first draw shares its beginning with the other links
 * of the transaction: similar hashes lie on a few pages of each index, scattered ones each write a page of their own.
 * Further draws are fully random.
 */
function draw(claim: Claim, drawn: Set<string>, neighbour: Claim | undefined): void {
  do {
    if (claim.draws === maxDraws) {
      throw new Error(`No free hash on ${claim.domain} after ${maxDraws} draws: check the source of random hashes.`)
    }
    const beginning = claim.draws === 0 && neighbour ? neighbour.hash.slice(0, sharedCharacters) : ''
    claim.draws += 1
    claim.hash = claim.newHash(beginning)
  } while (drawn.has(claim.hash))
  drawn.add(claim.hash)
  claim.address = `${claim.domain}/${claim.hash}`
}

// With 62^7 hashes a second draw is rare; this many mean that the random source is broken.
const maxDraws = 50

// Five random characters remain, 916 million hashes: knowing one link of a transaction does not help to guess the others.
const sharedCharacters = 2

export async function releaseAddresses(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<void> {
  const addresses = claims.map((claim) => claim.address)
  await tx.deleteFrom('addresses').where('address', 'in', addresses).execute()
}
