import type { AccountStore } from './account-store.js'

import type { ApplicationStore } from './application-store.js'

import type { GroupStore } from './group-store.js'

/**
 * What was done to accounts and what they own, for ever. Each method is one atomic step; audit-store.contract.ts says
 * what they promise.
 */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /**
   * Does one thing in one of these stores and keeps the entries that tell of it, in one step: all or nothing. What there
   * is to tell depends on the answer of the store.
   */
  transact<Answer>(
    change: (stores: AuditedStores) => Promise<Answer>,
    entriesOf: (answer: Answer) => readonly AuditEntry[],
  ): Promise<Answer>
  /**
   * Newest first, after the given position. Of an organization: what concerns it, and what was done to the accounts of its
   * members, by them or by the operator. Of a login: what the user did, and what was done to the account. Without either:
   * everything.
   */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
}

/** The stores in which an entry can be part of what it tells of. */
export interface AuditedStores {
  readonly accounts: AccountStore
  readonly applications: ApplicationStore
  readonly groups: GroupStore
}

export interface AuditFilter {
  readonly organizationGuid: string | undefined
  readonly login: string | undefined
  readonly after: AuditPosition | undefined
  readonly size: number
}

export interface AuditPosition {
  readonly at: number
  readonly guid: string
}

export interface AuditEntry extends AuditPosition {
  readonly action: AuditAction
  /** Whose account did it, or was tried; `operator` from the command line; undefined when nobody is known. */
  readonly login: string | undefined
  /** The login of the account it was done to, where somebody else did it. */
  readonly account: string | undefined
  /** Undefined for what concerns an account and no organization. */
  readonly organizationGuid: string | undefined
  /** What it was done to: a login, a guid, a domain, a link. */
  readonly subject: string | undefined
  /** Where from, for sign-ins. */
  readonly address: string | undefined
  /** Anything else worth keeping: a role, the way of signing in. Never a secret. */
  readonly details: Readonly<Record<string, string>>
}

/** A closed list, so that a reader can filter by it. */
export type AuditAction = (typeof auditActions)[number]

export const auditActions = [
  'signed_in',
  'sign_in_failed',
  'password_changed',
  'password_reset',
  'email_changed',
  'two_factor_on',
  'two_factor_off',
  'recovery_codes_made',
  'recovery_code_used',
  'token_made',
  'token_revoked',
  'token_renamed',
  'api_key_made',
  'api_key_revoked',
  'application_registered',
  'application_changed',
  'application_secret_rotated',
  'application_revoked',
  'application_authorized',
  'user_added',
  'user_deactivated',
  'user_activated',
  'user_removed',
  'organization_added',
  'organization_renamed',
  'group_added',
  'group_changed',
  'group_removed',
  'group_restored',
  'plan_changed',
  'role_given',
  'member_removed',
  'invitation_made',
  'invitation_revoked',
  'invitation_accepted',
  'domain_added',
  'domain_changed',
  'domain_removed',
  'mobile_app_added',
  'mobile_app_removed',
  'mobile_app_allowed',
  'mobile_app_denied',
  'link_deleted',
  'stream_allowed',
  'stream_denied',
] as const
