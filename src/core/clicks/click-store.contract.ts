import type { Closable } from '../../lib/closing.js'
import type { ClickStore } from './click-store.js'
import { journalsContract } from './journals.contract.js'
import { leasesContract } from './leases.contract.js'
import { saltsContract } from './salts.contract.js'

/** What a `ClickStore` promises. `open` gives an empty one. */
export function clickStoreContract(open: () => Promise<{ readonly clickStore: ClickStore } & Closable>): void {
  journalsContract(open)
  leasesContract(open)
  saltsContract(open)
}
