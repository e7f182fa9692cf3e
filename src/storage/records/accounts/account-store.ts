import type { Kysely } from 'kysely'
import type { AccountStore } from '../../../core/accounts/account-store.js'
import type { Encryption } from '../../sql/database/encryption.js'
import type { Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { sqlIdentities } from './identities.js'
import { sqlInvitations } from './invitations.js'
import { sqlPasskeys } from './passkeys.js'
import { sqlProvidedSessions } from './provided-sessions.js'
import { sqlProvisioning } from './provisioning.js'
import { sqlSignIn } from './sign-in.js'
import { sqlApiKeys, sqlTokens } from './tokens.js'
import { sqlTries } from './tries.js'
import { sqlTwoFactor } from './two-factor.js'
import { sqlUsers } from './users.js'

/** Users, credentials and sessions in SQL. account-store.contract.ts defines the behaviour. */
export function sqlAccountStore(db: Kysely<Schema>, transact: Transact, encryption: Encryption): AccountStore {
  return {
    ...sqlUsers(db, transact),
    ...sqlSignIn(db, transact, encryption),
    ...sqlTwoFactor(db, transact, encryption),
    ...sqlTries(transact),
    ...sqlTokens(db, transact),
    ...sqlApiKeys(db, transact),
    ...sqlInvitations(db, transact),
    ...sqlIdentities(db, transact),
    ...sqlProvisioning(db, transact),
    ...sqlProvidedSessions(transact, encryption),
    ...sqlPasskeys(db, transact),
  }
}
