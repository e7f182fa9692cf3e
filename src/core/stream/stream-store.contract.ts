import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import type { LinkStore } from '../links/link-store.js'
import { accessContract } from './access.contract.js'
import { leasedCursorsContract } from './leased-cursors.contract.js'
import { newLinksContract } from './new-links.contract.js'
import type { StreamStore } from './stream-store.js'

interface Stores extends Closable {
  readonly streamStore: StreamStore
  readonly accounts: AccountStore
  readonly links: LinkStore
}

/** What a `StreamStore` promises. `open` gives empty stores whose default domain is `defaultDomain`. */
export function streamStoreContract(open: () => Promise<Stores>, defaultDomain: string): void {
  accessContract(open)
  newLinksContract(open, defaultDomain)
  leasedCursorsContract(open)
}
