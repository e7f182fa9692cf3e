import { beforeEach } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import { sampleOf } from '../../lib/sample.builder.js'
import type { AccountStore } from './account-store.js'
import type { NewApplication } from './application-store.js'
import type { AuditedStores } from './audit-store.js'

/** The stores that the contract suites of accounts, groups and applications test. */
export interface AccountStores extends AuditedStores, Closable {}

interface First {
  readonly organization?: string
  readonly group?: string
  readonly login?: string
  readonly at?: number
}

/** The organization O1 with its group B1 and the user admin, whose password hash is `x`; or with other names. */
export async function bootstrap(accounts: AccountStore, first: First = {}): Promise<void> {
  const { organization = 'O1', group = 'B1', login = 'admin', at = 1_000 } = first
  await accounts.bootstrap({
    organization: { guid: organization, name: 'One' },
    group: { guid: group, name: 'First' },
    user: { login, passwordHash: 'x' },
    token: { guid: 'T1', secretHash: login, hint: 'h', label: 'l' },
    at,
  })
}

/** For suites that tell their own group from others. */
export const mine: First = { organization: 'Omine', group: 'Bmine', login: 'ada', at: 1 }

/** Opens stores that have a first user. */
export async function openBootstrapped<Stores extends { readonly accounts: AccountStore }>(
  open: () => Promise<Stores>,
  first: First = {},
): Promise<Stores> {
  const stores = await open()
  await bootstrap(stores.accounts, first)
  return stores
}

/** Stores that are opened before each test of this suite, and closed after it. Only tests can use them. */
export function storesOfEachTest<Stores extends Closable>(open: () => Promise<Stores>): Stores {
  const stores = {} as Stores
  beforeEach(async () => {
    Object.assign(stores, await open())
    return () => stores.close()
  })
  return stores
}

export const anApplication = sampleOf<NewApplication>({
  clientId: 'app1',
  secretHash: 'hashed',
  login: 'admin',
  name: 'Reader',
  description: 'Reads',
  link: 'https://reader.example/',
  redirectUris: ['https://reader.example/back', 'reader://back'],
  requirePkce: true,
  scopes: ['links:read', 'qr'],
  at: 2_000,
})
