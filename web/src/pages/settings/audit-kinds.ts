/** The actions of each kind of thing. */
export const auditKinds = {
  signIn: ['signed_in', 'sign_in_failed'],
  account: [
    'password_changed',
    'password_reset',
    'email_changed',
    'two_factor_on',
    'two_factor_off',
    'recovery_codes_made',
    'recovery_code_used',
  ],
  tokens: ['token_made', 'token_revoked', 'token_renamed', 'api_key_made', 'api_key_revoked'],
  applications: [
    'application_registered',
    'application_changed',
    'application_secret_rotated',
    'application_revoked',
    'application_authorized',
  ],
  people: [
    'user_added',
    'user_deactivated',
    'user_activated',
    'user_removed',
    'role_given',
    'member_removed',
    'invitation_made',
    'invitation_revoked',
    'invitation_accepted',
  ],
  groups: [
    'organization_added',
    'organization_renamed',
    'group_added',
    'group_changed',
    'group_removed',
    'group_restored',
    'plan_changed',
  ],
  domains: ['domain_added', 'domain_changed', 'domain_removed'],
  apps: ['mobile_app_added', 'mobile_app_removed', 'mobile_app_allowed', 'mobile_app_denied'],
  links: ['link_deleted', 'qr_code_deleted'],
  campaigns: ['campaign_removed', 'channel_removed'],
  tags: ['tag_renamed', 'tag_removed'],
  webhooks: ['webhook_added', 'webhook_changed', 'webhook_secret_rotated', 'webhook_removed'],
  stream: ['stream_allowed', 'stream_denied'],
  service: ['backup_made', 'backup_failed', 'journal_forgotten'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type AuditKind = keyof typeof auditKinds

/** Undefined for what is no kind: anybody can type anything into the URL. */
export function kindOf(text: string | undefined): AuditKind | undefined {
  return text !== undefined && Object.hasOwn(auditKinds, text) ? (text as AuditKind) : undefined
}
