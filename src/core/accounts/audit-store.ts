import type { AccountStore } from './account-store.js'

import type { ApplicationStore } from './application-store.js'

import type { GroupStore } from './group-store.js'

/**
 * Stores the audit log, forever; changes of links are read from their history, as long as that is kept. Each method is
 * one atomic step; the promises are tested in audit-store.contract.ts.
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
  /** Only entries about the object with this id, or about the account with this login. */
  readonly subject?: string | undefined
  /** Only entries with one of these actions; unknown ones match nothing. */
  readonly actions?: readonly string[] | undefined
  /** At or after this time. */
  readonly from?: number | undefined
  /** Before this time. */
  readonly until?: number | undefined
  readonly after: AuditPosition | undefined
  readonly size: number
}

interface AuditPosition {
  readonly at: number
  readonly guid: string
}

export interface AuditEntry extends AuditPosition {
  readonly action: AuditAction
  /** Login of the acting user, or of a failed sign-in; `operator` for the command line; undefined when unknown. */
  readonly login: string | undefined
  /** Login of the changed account, when it is not the acting user's own. */
  readonly account: string | undefined
  /** Undefined for entries about an account only. */
  readonly organizationGuid: string | undefined
  /** The changed object: a login, a guid, a domain, a link. */
  readonly subject: string | undefined
  /** IP address, for sign-ins. */
  readonly address: string | undefined
  /** More details, such as a role or the sign-in method; never a secret. */
  readonly details: Readonly<Record<string, string>>
}

/** A closed list, so that readers can filter by action. */
export type AuditAction = (typeof auditActions)[number]

export const auditActions = [
  'signed_in',
  'sign_in_failed',
  'identity_linked',
  'sessions_ended',
  'password_changed',
  'password_reset',
  'email_changed',
  'two_factor_on',
  'two_factor_off',
  'passkey_added',
  'passkey_renamed',
  'passkey_removed',
  'passkey_refused',
  'recovery_codes_made',
  'recovery_code_used',
  'token_made',
  'token_revoked',
  'token_renamed',
  'token_rotated',
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
  'site_created',
  'site_moved',
  'site_published',
  'site_deleted',
  'domain_added',
  'domain_changed',
  'domain_removed',
  'mobile_app_added',
  'mobile_app_removed',
  'mobile_app_allowed',
  'mobile_app_denied',
  'link_changed',
  'link_deleted',
  'qr_code_deleted',
  'stream_allowed',
  'stream_denied',
  'campaign_removed',
  'channel_removed',
  'tag_renamed',
  'tag_removed',
  'export_made',
  'view_added',
  'view_changed',
  'view_removed',
  'annotation_added',
  'annotation_changed',
  'annotation_removed',
  'webhook_added',
  'webhook_changed',
  'webhook_secret_rotated',
  'webhook_removed',
  'backup_made',
  'backup_failed',
  'journal_forgotten',
] as const
