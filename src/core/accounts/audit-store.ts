import type { AccountStore } from './account-store.js'

import type { ApplicationStore } from './application-store.js'

import type { GroupStore } from './group-store.js'

/**
 * Stores the audit log, for ever. Each method is one atomic step; the promises are tested in audit-store.contract.ts.
 */
export interface AuditStore {
  add(entry: AuditEntry): Promise<void>
  /**
   * Runs a change and writes its audit entries in one transaction. `entriesOf` builds the entries from the result of the
   * change.
   */
  transact<Answer>(
    change: (stores: AuditedStores) => Promise<Answer>,
    entriesOf: (answer: Answer) => readonly AuditEntry[],
  ): Promise<Answer>
  /**
   * Newest first, after the given position. With an organization: its entries, and changes to its members' accounts by
   * themselves or the operator. With a login: the user's actions, and changes to the account. With neither: all entries.
   */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
}

/** The stores whose changes can be in one transaction with their audit entries. */
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

interface AuditPosition {
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
  'qr_code_deleted',
  'stream_allowed',
  'stream_denied',
] as const
