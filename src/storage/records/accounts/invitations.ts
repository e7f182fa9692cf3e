import type { ExpressionBuilder, Kysely, Selectable, Transaction } from 'kysely'
import type { Invitation } from '../../../core/accounts/account.js'
import type { Accepted, InvitationStore, Invitee } from '../../../core/accounts/account-store.js'
import { type GroupRole, type OrganizationRole, operator } from '../../../core/accounts/actor.js'
import type { MemberRole } from '../../../core/accounts/group-store.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import { type Undo, undoable } from '../../sql/database/undoable.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, hasRow, insertRows, updateRows, upsert } from '../steps/rows.js'
import { givenByPeople } from './members.js'
import { type AnyRole, type Held, higher } from './provider-roles.js'
import { isLoginTaken, isTaken } from './sign-in.js'

/** The invitations of the account store. */
export function sqlInvitations(db: Kysely<Schema>, transact: Transact) {
  return {
    addInvitation: (invitation) =>
      transact(async (tx) => {
        const { groupGuid: guid, organizationGuid: organization_guid } = invitation
        if (!(await hasRow(tx, 'groups', { guid, organization_guid }))) return 'no-group'
        const row = invitationColumns.columns({ ...invitation, createdAt: invitation.at })
        await tx.insertInto('invitations').values(row).execute()
        return 'added'
      }),

    async listInvitations(organizationGuid, now) {
      const rows = await open(db, now)
        .$if(organizationGuid !== undefined, (query) =>
          query.where('invitations.organization_guid', '=', organizationGuid ?? ''),
        )
        .orderBy('invitations.created_at', 'desc')
        .orderBy('invitations.guid')
        .execute()
      return rows.map(invitationFrom)
    },

    async findInvitation(secretHash, now) {
      const row = await open(db, now).where('secret_hash', '=', secretHash).executeTakeFirst()
      return row && invitationFrom(row)
    },

    revokeInvitation: (guid, organizationGuid, at) =>
      transact((tx) =>
        changesRow(
          tx
            .updateTable('invitations')
            .set({ revoked_at: at })
            .where('guid', '=', guid)
            .$if(organizationGuid !== undefined, (query) =>
              query.where('organization_guid', '=', organizationGuid ?? ''),
            )
            .where('revoked_at', 'is', null)
            .where('accepted_at', 'is', null)
            .where('expires_at', '>', at),
        ),
      ),

    acceptInvitation: (secretHash, by, at) =>
      // Serializable: an email address and a login that are equal must not be assigned concurrently.
      undoable<Accepted>(
        (work) => transact(work, 'serializable'),
        (tx, undo) => accept(tx, undo, secretHash, by, at),
      ),
  } satisfies InvitationStore
}

async function accept(
  tx: Transaction<Schema>,
  undo: Undo<Accepted>,
  secretHash: string,
  by: Invitee,
  at: number,
): Promise<Accepted> {
  const found = await open(tx, at).where('secret_hash', '=', secretHash).executeTakeFirst()
  const pending = { secret_hash: secretHash, accepted_at: null, revoked_at: null }
  const accepted = await updateRows(tx, 'invitations', pending, { accepted_at: at, accepted_by: by.login })
  if (!found || !accepted) return undo({ outcome: 'gone' })
  const invitation = invitationFrom(found)
  if ('passwordHash' in by) await addUser(tx, undo, invitation, by, at)
  else if (!(await hasRow(tx, 'users', { login: by.login }))) undo({ outcome: 'no-user' })
  await giveRole(tx, by.login, invitation)
  return { outcome: 'accepted', invitation }
}

async function addUser(
  tx: Transaction<Schema>,
  undo: Undo<Accepted>,
  { email, groupGuid, delivery }: Invitation,
  by: Extract<Invitee, { readonly passwordHash: string }>,
  at: number,
): Promise<void> {
  const key = email.toLowerCase()
  if (await isLoginTaken(tx, by.login)) undo({ outcome: 'login-taken' })
  if (await isTaken(tx, key, by.login)) undo({ outcome: 'email-taken' })
  await insertRows(tx, 'users', {
    login: by.login,
    name: by.name,
    email,
    email_key: key,
    // A secret that was sent to this address came back. One that was passed on by hand proves nothing.
    email_verified_at: delivery === 'not_sent' ? null : at,
    password_hash: by.passwordHash,
    default_group_guid: groupGuid,
    created_at: at,
    modified_at: at,
  })
}

/** An invitation never lowers a role: nobody who is in the organization becomes an auditor, who may not write. */
async function giveRole(tx: Transaction<Schema>, login: string, invitation: Invitation): Promise<void> {
  const { organizationGuid, groupGuid, role } = invitation
  const inOrganization = role === 'org-admin' ? 'admin' : role === 'auditor' ? 'auditor' : 'member'
  const member = { login, organization_guid: organizationGuid }
  const next = invited<OrganizationRole>(await findRow(tx, 'organization_members', member), inOrganization)
  if (next) await upsert(tx, 'organization_members', member, next)
  const groupMember = { login, group_guid: groupGuid }
  const nextInGroup = invited<MemberRole>(await findRow(tx, 'group_members', groupMember), groupRoles[role])
  if (nextInGroup) await upsert(tx, 'group_members', groupMember, nextInGroup)
}

/** Undefined: as before. Below a role of a provider the invited one is kept until the provider takes its own away. */
function invited<Role extends AnyRole>(held: Held<Role> | undefined, role: Role): Held<Role> | undefined {
  if (!held || held.role === role || replaced[role].includes(held.role)) return { role, ...givenByPeople }
  const { given_by, former_role: former } = held
  if (given_by === null || higher(held.role, role) !== held.role) return undefined
  return former === null || replaced[role].includes(former)
    ? { role: held.role, given_by, former_role: role }
    : undefined
}

const replaced: Readonly<Record<AnyRole, readonly AnyRole[]>> = {
  admin: ['reader', 'member', 'auditor'],
  member: ['reader'],
  auditor: [],
  reader: [],
}
const groupRoles: Readonly<Record<GroupRole, MemberRole>> = {
  'org-admin': 'admin',
  auditor: 'reader',
  'group-admin': 'admin',
  member: 'member',
  reader: 'reader',
}

function open(db: Kysely<Schema>, now: number) {
  return db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.guid', 'invitations.organization_guid')
    .innerJoin('groups', 'groups.guid', 'invitations.group_guid')
    .selectAll('invitations')
    .select(['organizations.name as organization_name', 'groups.name as group_name'])
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.revoked_at', 'is', null)
    .where('invitations.expires_at', '>', now)
    .where('organizations.is_active', '=', 1)
    .where('groups.is_active', '=', 1)
    .where(isByAdministrator)
}

/** Whoever may no longer invite has invited nobody: an invitation to a private address must not outlive its administrator. */
function isByAdministrator(eb: ExpressionBuilder<Schema, 'invitations'>) {
  const administrator = eb
    .selectFrom('organization_members')
    .innerJoin('users', 'users.login', 'organization_members.login')
    .select('users.login')
    .whereRef('organization_members.organization_guid', '=', 'invitations.organization_guid')
    .whereRef('organization_members.login', '=', 'invitations.invited_by')
    .where('organization_members.role', '=', 'admin')
    .where('users.is_active', '=', 1)
  return eb.or([eb('invitations.invited_by', '=', operator.login), eb.exists(administrator)])
}

type InvitationRow = Selectable<Schema['invitations']> & {
  readonly organization_name: string
  readonly group_name: string
}

const invitationColumns = codec('invitations', ['secretHash', 'acceptedAt', 'acceptedBy', 'revokedAt'])

function invitationFrom(row: InvitationRow): Invitation {
  const { organization_name: organizationName, group_name: groupName } = row
  return invitationColumns.fieldsWith(row, { organizationName, groupName })
}
