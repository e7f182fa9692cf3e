import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type {
  ApiKeyStore,
  NewToken,
  RotatedToken,
  TokenActor,
  TokenStore,
} from '../../../core/accounts/account-store.js'
import {
  type Actor,
  type GroupMembership,
  type GroupRole,
  type LinkPrivacy,
  limitedTo,
  type OrganizationMembership,
} from '../../../core/accounts/actor.js'
import { scopesOfToken } from '../../../core/accounts/scopes.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { hasRow, updateRows } from '../steps/rows.js'

/** The access tokens of the account store. */
export function sqlTokens(db: Kysely<Schema>, transact: Transact) {
  return {
    addToken: (token) => transact((tx) => addToken(tx, token)),

    async listTokens(login) {
      const rows = await db
        .selectFrom('tokens')
        .leftJoin('applications', 'applications.client_id', 'tokens.client_id')
        .select(['tokens.guid', 'tokens.hint', 'tokens.login', 'tokens.label', 'tokens.client_id'])
        .select(['tokens.created_at', 'tokens.last_used_at', 'tokens.revoked_at'])
        .select(['tokens.scopes', 'tokens.group_guids', 'tokens.replaced_by', 'tokens.domains'])
        // Until then its application can renew it.
        .select(({ fn }) => fn.coalesce('tokens.refresh_expires_at', 'tokens.expires_at').as('expires_at'))
        .select(({ fn }) => fn.coalesce('tokens.answers_in', 'applications.answers_in').as('answers_in'))
        .$if(login !== undefined, (query) => query.where('tokens.login', '=', login ?? ''))
        .orderBy('tokens.created_at')
        .orderBy('tokens.guid')
        .execute()
      return rows.map(tokenColumns.fields)
    },

    revokeToken: (guid, at) =>
      transact((tx) => updateRows(tx, 'tokens', { guid, revoked_at: null }, { revoked_at: at })),

    labelToken: (guid, label) => transact((tx) => updateRows(tx, 'tokens', { guid, revoked_at: null }, { label })),

    rotateToken: (guid, by) => transact((tx) => rotateToken(tx, guid, by)),

    async actorByToken(secretHash) {
      const { rows } = await memberships(holderOf(secretHash)).execute(db)
      return tokenActor(rows)
    },

    async actorByLogin(login) {
      const { rows } = await memberships(themselves(login)).execute(db)
      return tokenActor(rows)?.actor
    },

    touchTokens: (lastUsed) =>
      transact(async (tx) => {
        // In a fixed order, so that two processes that update the same tokens cannot deadlock.
        const inOrder = [...lastUsed].sort(([one], [other]) => (one < other ? -1 : 1))
        for (const [guid, at] of inOrder) await touch(tx, 'tokens', guid, at)
      }),
  } satisfies TokenStore
}

/** API keys too. Returns the guids. */
export async function revokeAllTokens(tx: Transaction<Schema>, login: string, at: number): Promise<readonly string[]> {
  const guids: string[] = []
  for (const table of ['tokens', 'api_keys'] as const) {
    const active = tx.updateTable(table).set({ revoked_at: at }).where('login', '=', login)
    const revoked = await active.where('revoked_at', 'is', null).returning('guid').execute()
    guids.push(...revoked.map(({ guid }) => guid))
  }
  return guids
}

export async function addToken(tx: Transaction<Schema>, token: NewToken): Promise<'added' | 'no-user'> {
  if (!(await hasRow(tx, 'users', { login: token.login }))) return 'no-user'
  await insertToken(tx, token)
  return 'added'
}

async function rotateToken(
  tx: Transaction<Schema>,
  guid: string,
  { oldExpiresAt, ...by }: RotatedToken,
): Promise<'rotated' | 'rotated-before' | 'no-token'> {
  const claimed = await tx
    .updateTable('tokens')
    .set({ replaced_by: by.guid })
    .where('guid', '=', guid)
    .where('revoked_at', 'is', null)
    .where('replaced_by', 'is', null)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', by.at)]))
    .returningAll()
    .executeTakeFirst()
  if (!claimed) {
    const isKnown = await hasRow(tx, 'tokens', { guid, revoked_at: null })
    return isKnown ? 'rotated-before' : 'no-token'
  }
  const old = tokenColumns.fields(claimed)
  await updateRows(tx, 'tokens', { guid }, { expires_at: Math.min(oldExpiresAt, old.expiresAt ?? oldExpiresAt) })
  const { login, label, clientId, answersIn, scopes, groupGuids, domains } = old
  await insertToken(tx, { ...by, login, label, clientId, answersIn, scopes, groupGuids, domains })
  return 'rotated'
}

export async function insertToken(tx: Transaction<Schema>, token: NewToken): Promise<void> {
  const row = tokenColumns.columns({ ...token, createdAt: token.at })
  await tx.insertInto('tokens').values(row).execute()
}

export const tokenColumns = codec('tokens', [
  'secretHash',
  'refreshKey',
  'refreshHash',
  'formerRefreshHash',
  'refreshSalt',
  'refreshedAt',
  'refreshExpiresAt',
])

function holderOf(secretHash: string): RawBuilder<unknown> {
  return sql`
    select tokens.guid as token_guid, tokens.client_id, users.login, users.default_group_guid, users.default_link_privacy,
      coalesce(tokens.answers_in, applications.answers_in) as answers_in,
      tokens.scopes, tokens.group_guids, tokens.domains, tokens.expires_at, applications.scopes as application_scopes
    from tokens
    join users on users.login = tokens.login
    left join applications on applications.client_id = tokens.client_id
    where tokens.secret_hash = ${secretHash} and tokens.revoked_at is null and users.is_active = 1`
}

/** A user without a token (browser session or v3 API key). */
function themselves(login: string): RawBuilder<unknown> {
  return sql`
    select '' as token_guid, cast(null as text) as client_id, users.login, users.default_group_guid,
      users.default_link_privacy, cast(null as text) as answers_in, cast(null as text) as scopes,
      cast(null as text) as group_guids, cast(null as text) as domains, cast(null as bigint) as expires_at, cast(null as text) as application_scopes
    from users where users.login = ${login} and users.is_active = 1`
}

/**
 * One statement, because every authenticated request runs it: a row for the token itself, one for each group of an
 * administered or audited organization, one for each joined group, one for each organization.
 */
function memberships(holder: RawBuilder<unknown>): RawBuilder<MembershipRow> {
  return sql<MembershipRow>`
    with holder as (${holder})
    select holder.*, null as group_guid, null as organization_guid, null as role, cast(null as bigint) as created_at
    from holder
    union all
    select holder.*, reached.guid, reached.organization_guid,
      case member.role when 'admin' then 'org-admin' else member.role end, reached.created_at
    from holder
    join organization_members member on member.login = holder.login and member.role in ('admin', 'auditor')
    join organizations organization on organization.guid = member.organization_guid and organization.is_active = 1
    join groups reached on reached.organization_guid = organization.guid and reached.is_active = 1
    union all
    select holder.*, reached.guid, reached.organization_guid, member.role, reached.created_at
    from holder
    join group_members member on member.login = holder.login
    join groups reached on reached.guid = member.group_guid and reached.is_active = 1
    join organizations organization on organization.guid = reached.organization_guid and organization.is_active = 1
    union all
    select holder.*, null, organization.guid, member.role, null
    from holder
    join organization_members member on member.login = holder.login
    join organizations organization on organization.guid = member.organization_guid and organization.is_active = 1`
}

interface MembershipRow {
  readonly token_guid: string
  readonly client_id: string | null
  readonly login: string
  readonly default_group_guid: string
  readonly default_link_privacy: LinkPrivacy
  readonly answers_in: string | null
  /** As JSON, like the next; null without a token. */
  readonly scopes: string | null
  readonly group_guids: string | null
  readonly domains: string | null
  readonly expires_at: number | null
  /** Null without an application. */
  readonly application_scopes: string | null
  /** Null in the rows for the token itself and for an organization. */
  readonly group_guid: string | null
  readonly organization_guid: string | null
  readonly role: 'org-admin' | 'admin' | 'auditor' | 'member' | 'reader' | null
  /** When the group was created. */
  readonly created_at: number | null
}

function tokenActor(rows: readonly MembershipRow[]): TokenActor | undefined {
  const [first] = rows
  if (!first) return undefined
  const groups = new Map<string, GroupMembership>()
  const organizations: OrganizationMembership[] = []
  for (const { group_guid: groupGuid, organization_guid: organizationGuid, role } of rows) {
    if (organizationGuid === null || role === null) continue
    if (groupGuid === null) {
      organizations.push({ organizationGuid, role: role === 'admin' || role === 'auditor' ? role : 'member' })
      continue
    }
    // The role of an administrator or auditor of the organization wins over one in the group.
    const known = groups.get(groupGuid)?.role
    if (known === 'org-admin' || known === 'auditor') continue
    groups.set(groupGuid, { groupGuid, organizationGuid, role: roleNames[role] })
  }
  const actor: Actor = {
    login: first.login,
    defaultGroupGuid: groups.has(first.default_group_guid) ? first.default_group_guid : oldestOf(rows, first),
    clientId: first.client_id ?? undefined,
    ...(first.answers_in !== null && { answersIn: first.answers_in }),
    defaultLinkPrivacy: first.default_link_privacy,
    groups: [...groups.values()],
    organizations,
  }
  return { tokenGuid: first.token_guid, actor: asTokenSays(actor, first) }
}

/** With the scopes, groups and expiry of the token. */
function asTokenSays(actor: Actor, row: MembershipRow): Actor {
  const { scopes, group_guids: groupGuids, domains, expires_at: expiresAt, application_scopes: ofApplication } = row
  if (scopes === null) return actor
  const allowed = scopesOfToken({
    scopes: listed(scopes),
    ofApplication: actor.clientId === undefined ? undefined : listed(ofApplication ?? '[]'),
    isLimited: groupGuids !== null || domains !== null,
  })
  const guids = groupGuids === null ? actor.groups.map(({ groupGuid }) => groupGuid) : listed<string>(groupGuids)
  const reached = groupGuids === null && domains === null ? actor : limitedTo(actor, guids)
  const only = domains !== null && { domains: listed<string>(domains) }
  return { ...reached, ...only, scopes: allowed, ...(expiresAt !== null && { expiresAt }) }
}

/** Our own JSON. */
function listed<Value extends string>(json: string): readonly Value[] {
  return JSON.parse(json) as readonly Value[]
}

/**
 * Replaces a default group that was removed or left. Users without any group keep the old one, which gives no access.
 */
function oldestOf(rows: readonly MembershipRow[], { default_group_guid: kept }: MembershipRow): string {
  const [oldest] = rows
    .filter((row) => row.group_guid !== null)
    .sort((one, other) => age(one) - age(other) || ((one.group_guid ?? '') < (other.group_guid ?? '') ? -1 : 1))
  return oldest?.group_guid ?? kept
}

function age({ created_at: at }: MembershipRow): number {
  return at ?? 0
}

const roleNames: Record<NonNullable<MembershipRow['role']>, GroupRole> = {
  'org-admin': 'org-admin',
  auditor: 'auditor',
  admin: 'group-admin',
  member: 'member',
  reader: 'reader',
}

/** The v3 API keys of the account store. */
export function sqlApiKeys(db: Kysely<Schema>, transact: Transact) {
  return {
    addApiKey: (key) =>
      transact(async (tx) => {
        const row = keyColumns.columns({ ...key, createdAt: key.at })
        await tx.insertInto('api_keys').values(row).execute()
      }),

    async listApiKeys(login) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('login', '=', login)
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('guid')
        .execute()
      return rows.map(keyColumns.fields)
    },

    revokeApiKey: (login, guid, at) =>
      transact((tx) => updateRows(tx, 'api_keys', { login, guid, revoked_at: null }, { revoked_at: at })),

    async findApiKey(login, keyHash) {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('users', 'users.login', 'api_keys.login')
        .selectAll('api_keys')
        .where('key_hash', '=', keyHash)
        .where('api_keys.login', '=', login)
        .where('revoked_at', 'is', null)
        .where('users.is_active', '=', 1)
        .executeTakeFirst()
      return row && keyColumns.fields(row)
    },

    touchApiKey: (guid, at) => transact((tx) => touch(tx, 'api_keys', guid, at)),
  } satisfies ApiKeyStore
}

async function touch(tx: Transaction<Schema>, table: 'tokens' | 'api_keys', guid: string, at: number): Promise<void> {
  await tx
    .updateTable(table)
    .set({ last_used_at: at })
    .where('guid', '=', guid)
    .where((or) => or.or([or('last_used_at', 'is', null), or('last_used_at', '<', at)]))
    .execute()
}

const keyColumns = codec('api_keys', ['keyHash', 'revokedAt'])
