import type { Kysely, Transaction } from 'kysely'
import type { Entered, IdentityEntry, IdentityStore } from '../../../core/accounts/identity-store.js'
import { plainIssuer } from '../../../core/identity-providers/provider.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, hasRow, insertRows, updateRows } from '../steps/rows.js'
import { hasGroup, lockUser } from './members.js'
import { addProvidedUser } from './provided-users.js'
import { giveProviderRoles } from './provider-roles.js'
import { provisionedGroupsOf, provisionedUser } from './provisioned.js'
import { firstGroup } from './users.js'

/** Users of identity providers. core/accounts/identities.contract.ts defines the behaviour. */
export function sqlIdentities(db: Kysely<Schema>, transact: Transact) {
  return {
    addProviderSignIn: (begun) =>
      transact(async (tx) => {
        await tx.deleteFrom('provider_sign_ins').where('expires_at', '<=', begun.at).execute()
        await insertRows(tx, 'provider_sign_ins', signInColumns.columns({ ...begun, createdAt: begun.at }))
      }),

    useProviderSignIn: (stateHash, browserHash, now) =>
      transact((tx) =>
        tx
          .deleteFrom('provider_sign_ins')
          .where('state_hash', '=', stateHash)
          .where('browser_hash', '=', browserHash)
          .where('expires_at', '>', now)
          .returning(['provider', 'next'])
          .executeTakeFirst(),
      ),

    // Serializable: a login must not be assigned twice, nor the last administrator of an organization go.
    enterByIdentity: (entry) => transact((tx) => enter(tx, entry), 'serializable'),

    async identities(login) {
      const rows = await db
        .selectFrom('identities')
        .selectAll()
        .$if(login !== undefined, (query) => query.where('login', '=', login ?? ''))
        .orderBy('issuer')
        .orderBy('subject')
        .execute()
      return rows.map(identityColumns.fields)
    },

    async firstOrganization() {
      const active = db.selectFrom('organizations').select('guid').where('is_active', '=', 1)
      return (await active.orderBy('created_at').orderBy('guid').limit(1).executeTakeFirst())?.guid
    },
  } satisfies Partial<IdentityStore>
}

const signInColumns = codec('provider_sign_ins')
const identityColumns = codec('identities')

async function enter(tx: Transaction<Schema>, entry: IdentityEntry): Promise<Entered> {
  const { issuer, subject, at, externalId } = entry
  const known = await findRow(tx, 'identities', { issuer, subject }, ['login'])
  const provisioned = await provisionedUser(tx, entry, known?.login)
  const login = known?.login ?? provisioned?.login ?? (entry.link ? await loginOfAddress(tx, entry) : undefined)
  if (login === undefined) return create(tx, entry)

  await lockUser(tx, login)
  const user = await findRow(tx, 'users', { login }, ['is_active'])
  if (user?.is_active !== 1 || provisioned?.is_active === 0) return { outcome: 'inactive', login }
  if (!known) await insertRows(tx, 'identities', identityRow(entry, login))
  const groups = provisioned && (await provisionedGroupsOf(tx, plainIssuer(issuer), login))
  const { mayEnter, roles } = groups ? entry.accessOf(groups) : entry
  const changes = await giveProviderRoles(tx, login, { issuer, roles })
  if (!mayEnter) return { outcome: 'not-allowed', login, changes }
  if (roles && !(await hasGroup(tx, login))) return { outcome: 'no-group', login, changes }
  // A check while a session lasts may come without the claim; the person still is who they were.
  const sent = externalId === undefined ? {} : { external_id: externalId }
  await updateRows(tx, 'identities', { issuer, subject }, { last_sign_in_at: at, ...sent })
  return { outcome: 'entered', login, how: known ? 'known' : 'linked', changes }
}

function identityRow({ issuer, subject, at, externalId }: IdentityEntry, login: string) {
  return { issuer, subject, login, created_at: at, last_sign_in_at: at, external_id: externalId ?? null }
}

/**
 * Undefined when nobody has confirmed the address, or the provider gave it to somebody else before. An address that was only
 * typed proves nothing: whoever did it would have the account of its owner.
 */
async function loginOfAddress(
  tx: Transaction<Schema>,
  { email, issuer, trustedIssuers }: IdentityEntry,
): Promise<string | undefined> {
  const user = email && (await findRow(tx, 'users', { email_key: email.toLowerCase() }, ['login', 'email_verified_at']))
  if (!user || user.email_verified_at === null) return undefined
  const { login, email_verified_at: verifiedAt } = user
  if (await hasRow(tx, 'identities', { issuer, login })) return undefined
  // A provider that creates a user with an address has verified it: both have the time of that sign-in.
  const verifier = await findRow(tx, 'identities', { login, created_at: verifiedAt }, ['issuer'])
  return !verifier || trustedIssuers.includes(plainIssuer(verifier.issuer)) ? login : undefined
}

async function create(tx: Transaction<Schema>, entry: IdentityEntry): Promise<Entered> {
  if (!entry.create) return { outcome: 'unknown' }
  const group = await groupOf(tx, entry)
  if (!group) return { outcome: 'no-group', login: undefined, changes: [] }
  const isMember = !entry.roles
  const login = await addProvidedUser(tx, { ...entry, isMember, isEmailVerified: true }, group)
  await insertRows(tx, 'identities', identityRow(entry, login))
  return { outcome: 'entered', login, how: 'created', changes: await giveProviderRoles(tx, login, entry) }
}

/** The group that a new user begins in; undefined when the roles lead into none. */
async function groupOf(tx: Transaction<Schema>, { roles }: IdentityEntry) {
  if (!roles) return firstGroup(tx)
  for (const { in: kind, guid } of roles) {
    const columns = ['guid', 'organization_guid'] as const
    const group = await (kind === 'group'
      ? findRow(tx, 'groups', { guid, is_active: 1 }, columns)
      : firstGroup(tx, guid))
    if (group) return group
  }
  return undefined
}
