import type { Generated } from 'kysely'
import type { MailDelivery } from '../../../core/accounts/account.js'
import type { GroupRole } from '../../../core/accounts/actor.js'
import type { AuditAction } from '../../../core/accounts/audit-store.js'
import type { JobAction, JobState } from '../../../core/bulk/job.js'
import type { ImageType } from '../../../core/images/image.js'
import type { Counter } from '../../../core/usage/usage-store.js'

/**
 * The tables on both engines. Portable types only: text keys, times in epoch milliseconds, booleans as 0 or 1. The
 * types follow the migrations; a change needs a new migration.
 */
export interface Schema {
  organizations: OrganizationsTable
  groups: GroupsTable
  users: UsersTable
  organization_members: OrganizationMembersTable
  group_members: GroupMembersTable
  removed_users: RemovedUsersTable
  tokens: TokensTable
  links: LinksTable
  bulk_jobs: BulkJobsTable
  bulk_results: BulkResultsTable
  link_tags: LinkTagsTable
  addresses: AddressesTable
  address_changes: AddressChangesTable
  global_links: GlobalLinksTable
  keyword_history: KeywordHistoryTable
  group_tags: GroupTagsTable
  group_tag_totals: GroupTagTotalsTable
  link_deeplinks: LinkDeeplinksTable
  qr_codes: QrCodesTable
  qr_code_tags: QrCodeTagsTable
  mobile_apps: MobileAppsTable
  utm_templates: UtmTemplatesTable
  domains: DomainsTable
  pending_domains: PendingDomainsTable
  group_domains: GroupDomainsTable
  removed_domains: RemovedDomainsTable
  domain_changes: DomainChangesTable
  built_in_domains: BuiltInDomainsTable
  campaigns: CampaignsTable
  channels: ChannelsTable
  campaign_channels: CampaignChannelsTable
  channel_links: ChannelLinksTable
  applications: ApplicationsTable
  two_factors: TwoFactorsTable
  two_factor_setups: TwoFactorSetupsTable
  recovery_codes: RecoveryCodesTable
  sms_codes: SmsCodesTable
  sessions: SessionsTable
  /** Sign-ins that sent the right password and still need a code. */
  half_sessions: AccountSecretsTable
  password_resets: AccountSecretsTable
  email_changes: EmailChangesTable
  invitations: InvitationsTable
  api_keys: ApiKeysTable
  counted_tries: CountedTriesTable
  audit_log: AuditLogTable
  oauth_codes: OauthCodesTable
  usage: UsageTable
  organization_plans: OrganizationPlansTable
  plan_turns: PlanTurnsTable
  stream_access: StreamAccessTable
  held_topics: HeldTopicsTable
  bookmarks: BookmarksTable
  leases: LeasesTable
  journals: JournalsTable
  idempotency_keys: IdempotencyKeysTable
  imported_clicks: ImportedClicksTable
  visitor_salts: VisitorSaltsTable
  images: ImagesTable
  image_blobs: ImageBlobsTable
  unused_blobs: UnusedBlobsTable
  qr_code_images: QrCodeImagesTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_failures: WebhookFailuresTable
  outgoing_events: OutgoingEventsTable
  reached_limits: ReachedLimitsTable
}

interface OrganizationsTable {
  guid: string
  name: string
  created_at: number
  modified_at: number
  is_active: Generated<number>
}

interface GroupsTable {
  guid: string
  organization_guid: string
  name: string
  domain_preference: string | null
  created_at: number
  modified_at: number
  is_active: Generated<number>
  time_zone: Generated<string | null>
}

interface UsersTable {
  login: string
  name: string
  email: string | null
  /** The email address in lower case; unique, and null if another account already uses it. */
  email_key: string | null
  email_verified_at: number | null
  password_hash: string
  default_group_guid: string
  created_at: number
  modified_at: number
  is_active: Generated<number>
  default_link_privacy: Generated<'public' | 'private'>
}

interface OrganizationMembersTable {
  organization_guid: string
  login: string
  role: 'admin' | 'member'
}

interface GroupMembersTable {
  group_guid: string
  login: string
  role: 'admin' | 'member' | 'reader'
}

/** Logins that are never reused, because links and the audit log still name them. */
interface RemovedUsersTable {
  login: string
  removed_at: number
}

interface TokensTable {
  guid: string
  secret_hash: string
  hint: string
  login: string
  client_id: string | null
  label: string
  /** A word for short links. */
  answers_in: string | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

interface BulkJobsTable {
  guid: string
  organization_guid: string
  group_guid: string
  action: JobAction
  domain: string | null
  strict: number
  name: string
  size: number
  /** Keys of the blobs of the file, as JSON. */
  parts: string
  created_by: string
  client_id: string | null
  created_at: number
  state: JobState
  rows_total: number | null
  rows_done: Generated<number>
  created: Generated<number>
  changed: Generated<number>
  refused: Generated<number>
  error: string | null
  started_at: number | null
  finished_at: number | null
  /** The process that works on it. */
  holder: string | null
  lease_until: Generated<number>
}

/** The outcomes of the rows of one batch. */
interface BulkResultsTable {
  job_guid: string
  first_row: number
  outcomes: string
}

interface LinksTable {
  /** `<domain>/<hash>` */
  id: string
  domain: string
  hash: string
  group_guid: string
  long_url: string
  long_url_key: string
  /** Set only on the one link that shortening this URL again returns. */
  reuse_key: string | null
  title: string | null
  archived: Generated<number>
  created_at: number
  modified_at: number
  created_by: string
  client_id: string | null
  expires_at: number | null
  deleted_at: number | null
  /** When the destination was changed or a keyword was added; only links without it can be deleted. */
  edited_at: number | null
  /** The routing rules as JSON; null for the many links without any. */
  dynamic_routing: string | null
  note: string | null
  private: Generated<number>
  user_ts: number | null
  /** The number of keywords of the link. */
  keyword_count: Generated<number>
  /** 1: it belongs to a stand-alone QR code, and is in no list of links. */
  hidden: Generated<number>
}

interface QrCodesTable {
  id: string
  /** Names its picture for everybody. */
  image_id: string
  group_guid: string
  /** The link that `address` leads to. */
  link_id: string
  /** The address in the code: that of the link, or one of its keywords. */
  address: string
  title: string | null
  archived: Generated<number>
  /** How it looks, as JSON; null for a plain one. */
  design: string | null
  /** The GS1 values as JSON; null for the many codes that have none. */
  gs1: string | null
  created_by: string
  created_at: number
  modified_at: number
  deleted_at: number | null
}

/** Laid out like `link_tags`. */
interface QrCodeTagsTable {
  code_id: string
  tag: string
  position: number
  group_guid: string
  created_at: number
}

interface LinkTagsTable {
  link_id: string
  tag: string
  position: number
  /** Of the link, to read a page of one tag in order. */
  group_guid: string
  created_at: number
}

/** The namespace of everything that redirects, on all domains. */
interface AddressesTable {
  /** `<domain>/<back-half>` */
  address: string
  kind: 'hash' | 'keyword' | 'global'
  /** Null for a global hash, which belongs to a long URL. */
  link_id: string | null
  long_url_key: string | null
  created_at: number
}

/** The last notices about addresses that lead elsewhere; only on SQLite. */
interface AddressChangesTable {
  position: Generated<number>
  /** The connection that wrote it. */
  writer: string
  /** One per line. */
  addresses: string
}

interface GlobalLinksTable {
  long_url_key: string
  address: string
  long_url: string
  created_at: number
}

interface KeywordHistoryTable {
  guid: string
  address: string
  link_id: string
  group_guid: string
  login: string
  long_url: string
  created_at: number
  first_created_at: number
  deactivated_at: number | null
}

type TagType = 'shortlink' | 'qr_code'

interface GroupTagsTable {
  group_guid: string
  type: TagType
  tag: string
  uses: number
}

interface GroupTagTotalsTable {
  group_guid: string
  type: TagType
  total: number
}

interface LinkDeeplinksTable {
  guid: string
  link_id: string
  position: number
  app_guid: string
  os: string
  app_uri_path: string
  install_url: string
  install_type: string
  brand_guid: string
  created_at: number
  modified_at: number
}

interface MobileAppsTable {
  guid: string
  organization_guid: string
  name: string
  os: string
  store_url: string
  uri_scheme: string
  /** Data for the association files, as JSON. */
  association: string
  is_allowed: Generated<number>
  created_at: number
  modified_at: number
}

interface UtmTemplatesTable {
  guid: string
  group_guid: string
  name: string
  source: string
  medium: string
  campaign: string
  term: string
  content: string
  created_by: string
  created_at: number
  modified_at: number
}

interface DomainsTable {
  name: string
  organization_guid: string
  root_url: string | null
  not_found_url: string | null
  created_at: number
  created_by: string
}

/** Domains that organizations have added without proof of ownership. */
interface PendingDomainsTable extends DomainsTable {
  /** A JSON array of the groups that will use it. */
  group_guids: string
}

interface GroupDomainsTable {
  group_guid: string
  domain: string
}

interface RemovedDomainsTable {
  name: string
  organization_guid: string
  removed_at: number
}

interface BuiltInDomainsTable {
  key: string
  name: string
  former_names: string
  position: number | null
}

interface DomainChangesTable {
  version: number
}

interface CampaignsTable {
  guid: string
  group_guid: string
  name: string
  description: string
  created_by: string
  created_at: number
  modified_at: number
}

interface ChannelsTable {
  guid: string
  group_guid: string
  name: string
  created_at: number
  modified_at: number
}

interface CampaignChannelsTable {
  campaign_guid: string
  channel_guid: string
}

interface ChannelLinksTable {
  channel_guid: string
  campaign_guid: string
  link_id: string
}

interface ApplicationsTable {
  client_id: string
  secret_hash: string
  login: string
  name: string
  description: string
  link: string
  /** A JSON array of strings. */
  redirect_uris: string
  require_pkce: number
  /** A word for short links. */
  answers_in: string | null
  created_at: number
  revoked_at: number | null
}

interface OauthCodesTable {
  code_hash: string
  client_id: string
  login: string
  redirect_uri: string
  challenge: string | null
  created_at: number
  expires_at: number
  /** The token it was exchanged for; null until then. */
  token_guid: string | null
}

interface UsageTable {
  group_guid: string
  name: Counter
  /** Midnight UTC. */
  day: number
  /** The organization of the group on that day. */
  organization_guid: string
  count: number
}

interface OrganizationPlansTable {
  organization_guid: string
  plan: string
  assigned_at: number
  revision: number
}

interface PlanTurnsTable {
  organization_guid: string
  turns: number
}

interface StreamAccessTable {
  kind: 'organization' | 'login'
  subject: string
  allowed_by: string
  allowed_at: number
}

interface BookmarksTable {
  name: string
  /** The process that holds the lease on this cursor, and when it moved it last. */
  holder: string
  moved_at: number
  position: number
}

interface VisitorSaltsTable {
  /** Days since 1970, in UTC. */
  day: number
  salt: string
}

/** See core/clicks/click-store.ts. */
interface LeasesTable {
  name: string
  id: string
  place: string
  holder: string
  heartbeat: number
}

interface JournalsTable {
  journal_id: string
  place: string
  waiting_rows: number
  waiting_since: number | null
  seen_at: number
}

interface TwoFactorsTable {
  login: string
  kind: 'sms' | 'app'
  /** The phone number, or the secret of the authenticator app. */
  value: string
  /** The newest accepted time step of the app. */
  last_step: number
}

interface TwoFactorSetupsTable {
  login: string
  kind: 'sms' | 'app'
  value: string
  expires_at: number
}

interface RecoveryCodesTable {
  login: string
  code_hash: string
}

interface SmsCodesTable {
  login: string
  code_hash: string
  /** Attempts left. */
  tries: number
  sent_at: number
  expires_at: number
}

interface AccountSecretsTable {
  secret_hash: string
  login: string
  created_at: number
  expires_at: number
}

/** New addresses that wait for the link sent to them to be followed. */
interface EmailChangesTable extends AccountSecretsTable {
  email: string
}

interface SessionsTable extends AccountSecretsTable {
  /** Null for sessions that were begun before this was stored. */
  ip_address: string | null
  user_agent: string | null
}

interface InvitationsTable {
  guid: string
  secret_hash: string
  email: string
  organization_guid: string
  group_guid: string
  role: GroupRole
  invited_by: string
  /** Null for invitations from before this was stored. */
  delivery: Generated<MailDelivery | null>
  created_at: number
  expires_at: number
  accepted_at: number | null
  accepted_by: string | null
  revoked_at: number | null
}

interface ApiKeysTable {
  guid: string
  key_hash: string
  hint: string
  login: string
  label: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

interface CountedTriesTable {
  key: string
  count: number
  /** When the count starts again. */
  until: number
}

interface AuditLogTable {
  guid: string
  at: number
  action: AuditAction
  login: string | null
  account: string | null
  organization_guid: string | null
  subject: string | null
  address: string | null
  /** A JSON object of strings. */
  details: string
}

interface ImagesTable {
  guid: string
  group_guid: string
  sha256: string
  mime_type: ImageType
  width: number
  height: number
  size: number
  name: string
  created_at: number
  created_by: string
}

/** Where the bytes of images are stored; equal bytes share a row. */
interface ImageBlobsTable {
  sha256: string
  blob_key: string
}

/** Blobs without an image, and when they may be deleted. */
interface UnusedBlobsTable {
  blob_key: string
  due_at: number
}

interface QrCodeImagesTable {
  image_guid: string
  qr_code_id: string
}

interface IdempotencyKeysTable {
  /** A hash of the caller and the key. */
  id: string
  fingerprint: string
  status: number
  /** May be encrypted. */
  body: string
  created_at: number
}

interface WebhooksTable {
  guid: string
  organization_guid: string
  group_guid: string | null
  name: string
  /** A JSON array. */
  events: string
  /** Encrypted, like all secrets here: it may contain credentials. */
  url: string
  batch: number
  is_active: number
  fetch_tags: number
  /** The word for short links in events; null: that of the service. */
  link_word: string | null
  oauth_url: string | null
  client_id: string | null
  client_secret: string | null
  secret: string
  /** The secret before the last rotation, and until when it is used. */
  previous_secret: string | null
  previous_until: number | null
  created_at: number
  modified_at: number
  modified_by: string
  /** Failed attempts since the last success. */
  failures: Generated<number>
  alerted_at: number | null
  /** Null while nobody was told, and for alerts from before this was stored. */
  alert_delivery: Generated<MailDelivery | null>
  deactivated_at: number | null
}

/** The log of requests to receivers. */
interface WebhookDeliveriesTable {
  id: string
  webhook_guid: string
  at: number
  status: number | null
  failure: string | null
  answer: string
  duration_ms: number
  tries: number
  next_try_at: number | null
  /** A JSON array of `[event id, payload]`. */
  events: string
}

/** Events that were not delivered yet, or never. */
interface WebhookFailuresTable {
  webhook_guid: string
  event_id: string
  /** For the order of those that failed at the same time. */
  id: string
  /** `waiting` for the next try, `dead`, or `marked` to be sent once more. */
  state: 'waiting' | 'dead' | 'marked'
  tries: number
  failed_at: number
  status: number | null
  failure: string
  payload: string
}

/** Events that are published to the stream after the transaction that they are about. */
interface OutgoingEventsTable {
  id: string
  organization_guid: string
  group_guid: string | null
  type: string
  at: number
  /** As JSON. */
  details: string
}

/** Monthly limits that organizations have been told about. */
interface ReachedLimitsTable {
  organization_guid: string
  name: string
  /** Start of the month. */
  month: number
  percent: number
}

interface HeldTopicsTable {
  topic: string
  held_until: number
}

/** How far the clicks of each address of another product were counted. */
interface ImportedClicksTable {
  /** The other installation. */
  source: string
  address: string
  /** All clicks before this time were counted, and `counted` clicks at this time. Null before the first import ended. */
  counted_until: Generated<number | null>
  counted: Generated<number>
  /** The same for the import that is under way. */
  noted_until: number
  noted: number
}
