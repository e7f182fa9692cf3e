import { auditTexts } from '../../texts/audit.js'

/** How the names of the actions begin that are about each kind of thing. */
const beginnings = {
  signIn: /^(sign_in|signed_in|identity|sessions)(_|$)/,
  account: /^(password|email|two_factor|recovery|passkey)_/,
  tokens: /^(token|api_key)_/,
  applications: /^application_/,
  people: /^(user|role|member|invitation)_/,
  groups: /^(organization|group|plan)_/,
  domains: /^domain_/,
  apps: /^mobile_app_/,
  links: /^(link|qr_code)_/,
  sites: /^site_/,
  campaigns: /^(campaign|channel)_/,
  tags: /^tag_/,
  exports: /^export_/,
  views: /^(view|annotation)_/,
  webhooks: /^webhook_/,
  stream: /^stream_/,
  service: /^(backup|journal)_/,
} as const

export type AuditKind = keyof typeof beginnings
export const auditKinds = Object.keys(beginnings) as readonly AuditKind[]

export function actionsOf(kind: AuditKind): readonly string[] {
  return Object.keys(auditTexts.sentences).filter((action) => beginnings[kind].test(action))
}

/** Undefined for what is no kind: anybody can type anything into the URL. */
export function kindOf(text: string | undefined): AuditKind | undefined {
  return auditKinds.find((kind) => kind === text)
}
