import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from './account-store.js'
import type { AuditedStores } from './audit-store.js'

/** The stores that the contract suites of accounts, groups and applications test. */
export interface AccountStores extends AuditedStores, Closable {}

/** The organization O1 with its group B1 and the user admin, whose password hash is `x`. */
export async function bootstrap(accounts: AccountStore): Promise<void> {
  await accounts.bootstrap({
    organization: { guid: 'O1', name: 'One' },
    group: { guid: 'B1', name: 'First' },
    user: { login: 'admin', passwordHash: 'x' },
    token: { guid: 'T1', secretHash: 'admin', hint: 'h', label: 'l' },
    at: 1_000,
  })
}
