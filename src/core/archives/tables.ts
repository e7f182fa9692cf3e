/**
 * What an archive contains of the records: its tables in the order in which they can be written back, their columns, and
 * what each means. The files, the README of an archive, its import and docs/archives.md follow this list.
 */

type ColumnKind = 'text' | 'number' | 'time' | 'flag' | 'json'

export interface ArchiveColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** One sentence for the README. */
  readonly about: string
  /** Only in archives with secrets. */
  readonly secret?: true
  /** Encrypted in the database, plain in the archive. */
  readonly encrypted?: true
}

export interface ArchiveTable {
  readonly name: string
  readonly about: string
  /** The columns of its primary key, by which rows are sorted. */
  readonly key: readonly string[]
  readonly columns: readonly ArchiveColumn[]
  /** Only in archives with secrets. */
  readonly secret?: true
}

/** The tables of an archive, with or without those that contain nothing but secrets. */
export function tablesWith(secrets: boolean): readonly ArchiveTable[] {
  return archiveTables.filter((table) => secrets || !table.secret)
}

export function columnsWith(table: ArchiveTable, secrets: boolean): readonly ArchiveColumn[] {
  return table.columns.filter((column) => secrets || !column.secret)
}

const guid = text('guid', 'Its id.')
const createdAt = time('created_at', 'When it was created.')
const modifiedAt = time('modified_at', 'When it was last changed.')
const createdBy = text('created_by', 'The login of the user who created it.')
const groupGuid = text('group_guid', 'The group that owns it.')
const organizationGuid = text('organization_guid', 'The organization that owns it.')
const isActive = flag('is_active', 'False when it was deactivated or removed.')
const position = number('position', 'Its place in the list, from 0.')

export const archiveTables = [
  table(
    'organizations',
    'Organizations, which own groups and domains and have a plan.',
    ['guid'],
    [guid, text('name', 'Its name.'), createdAt, modifiedAt, isActive],
  ),
  table(
    'organization_plans',
    'The plan of each organization that does not have the default plan.',
    ['organization_guid'],
    [
      organizationGuid,
      text('plan', 'The name of the plan.'),
      time('assigned_at', 'Since when.'),
      number('revision', 'How often the plan was set.'),
    ],
  ),
  table(
    'groups',
    'Groups, which own links.',
    ['guid'],
    [
      guid,
      organizationGuid,
      text('name', 'Its name.'),
      text('domain_preference', 'The domain for links that name none.'),
      createdAt,
      modifiedAt,
      isActive,
      text('time_zone', 'The time zone in which its figures are read.'),
    ],
  ),
  table(
    'users',
    'People. Without secrets nobody has a password after an import.',
    ['login'],
    [
      text('login', 'The name that signs in.'),
      text('name', 'The displayed name.'),
      text('email', 'The email address.'),
      text('email_key', 'The email address in lower case; empty when another account uses it for sign-in.'),
      time('email_verified_at', 'When the email address was verified.'),
      secret('password_hash', 'The argon2id hash of the password.'),
      text('default_group_guid', 'The group used when a request names none.'),
      createdAt,
      modifiedAt,
      isActive,
      text('default_link_privacy', '`public` or `private`: what new links are.'),
    ],
  ),
  table(
    'organization_members',
    'Which users belong to which organization.',
    ['organization_guid', 'login'],
    [organizationGuid, text('login', 'The user.'), text('role', '`admin` or `member`.')],
  ),
  table(
    'group_members',
    'Which users belong to which group.',
    ['group_guid', 'login'],
    [groupGuid, text('login', 'The user.'), text('role', '`admin`, `member` or `reader`.')],
  ),
  table(
    'removed_users',
    'Logins of removed users, which are never given to anybody else.',
    ['login'],
    [text('login', 'The former login.'), time('removed_at', 'When the user was removed.')],
  ),
  table(
    'applications',
    'OAuth applications.',
    ['client_id'],
    [
      text('client_id', 'Its public id.'),
      secret('secret_hash', 'The hash of its client secret.'),
      text('login', 'The user who registered it.'),
      text('name', 'Its name.'),
      text('description', 'What it does.'),
      text('link', 'Its home page.'),
      json('redirect_uris', 'Where codes may be sent.'),
      flag('require_pkce', 'Whether it must use PKCE.'),
      text('answers_in', 'The word for short links in which its tokens are answered.'),
      createdAt,
      time('revoked_at', 'When it was revoked.'),
    ],
  ),
  table(
    'built_in_domains',
    'The domains of the service itself. Addresses begin with the key of a domain.',
    ['key'],
    [
      text('key', 'The permanent first part of its addresses.'),
      text('name', 'The name it is served under.'),
      text('former_names', 'Earlier names, which still work; one per line.'),
      number('position', 'Its place among the configured domains; empty when it is not configured.'),
    ],
  ),
  table(
    'domains',
    'Branded domains of organizations.',
    ['name'],
    [
      text('name', 'The host name.'),
      organizationGuid,
      text('root_url', 'Where the bare domain leads.'),
      text('not_found_url', 'Where unknown addresses lead.'),
      createdAt,
      createdBy,
    ],
  ),
  table(
    'pending_domains',
    'Domains whose ownership is not proven yet.',
    ['name', 'organization_guid'],
    [
      text('name', 'The host name.'),
      organizationGuid,
      json('group_guids', 'The groups that will use it.'),
      text('root_url', 'Where the bare domain will lead.'),
      text('not_found_url', 'Where unknown addresses will lead.'),
      createdAt,
      createdBy,
    ],
  ),
  table(
    'group_domains',
    'Which groups use which domains.',
    ['group_guid', 'domain'],
    [groupGuid, text('domain', 'The host name.')],
  ),
  table(
    'removed_domains',
    'Removed domains, whose links still belong to the organization.',
    ['name'],
    [text('name', 'The host name.'), organizationGuid, time('removed_at', 'When it was removed.')],
  ),
  table(
    'mobile_apps',
    'Programs on phones that links can open.',
    ['guid'],
    [
      guid,
      organizationGuid,
      text('name', 'Its name.'),
      text('os', '`ios` or `android`.'),
      text('store_url', 'Its page in the store.'),
      text('uri_scheme', 'The scheme that opens it.'),
      json('association', 'Data for the association files of domains.'),
      flag('is_allowed', 'Whether its scheme is known to be its own.'),
      createdAt,
      modifiedAt,
    ],
  ),
  table(
    'utm_templates',
    'Saved UTM parameters.',
    ['guid'],
    [
      guid,
      groupGuid,
      text('name', 'Its name.'),
      text('source', 'utm_source.'),
      text('medium', 'utm_medium.'),
      text('campaign', 'utm_campaign.'),
      text('term', 'utm_term.'),
      text('content', 'utm_content.'),
      createdBy,
      createdAt,
      modifiedAt,
    ],
  ),
  table(
    'links',
    'Links, also deleted ones, whose addresses are never used again.',
    ['id'],
    [
      text('id', 'The address: domain key, slash, hash.'),
      text('domain', 'The domain key.'),
      text('hash', 'The random back-half.'),
      groupGuid,
      text('long_url', 'Where it leads.'),
      text('long_url_key', 'A digest of the long URL, to find it.'),
      text('reuse_key', 'Set on the one link that shortening this URL again returns.'),
      text('title', 'Its title.'),
      flag('archived', 'Whether it is archived.'),
      createdAt,
      modifiedAt,
      createdBy,
      text('client_id', 'The application that created it.'),
      time('expires_at', 'When it stops working.'),
      time('deleted_at', 'When it was deleted.'),
      time('edited_at', 'When its destination was changed or a keyword was added.'),
      json('dynamic_routing', 'Routing rules.'),
      text('note', 'A note of its owner.'),
      flag('private', 'Whether the legacy API hides its title and creator outside its group.'),
      time('user_ts', 'A time that its creator gave it.'),
      number('keyword_count', 'The number of its custom links.'),
      flag('hidden', 'Whether it belongs to a stand-alone QR code and is in no list of links.'),
    ],
  ),
  table(
    'link_tags',
    'Tags of links.',
    ['link_id', 'tag'],
    [
      text('link_id', 'The link.'),
      text('tag', 'The tag.'),
      position,
      groupGuid,
      time('created_at', 'When the link was created.'),
    ],
  ),
  table(
    'addresses',
    'Every address that redirects: hashes of links, custom links (keywords) and global hashes.',
    ['address'],
    [
      text('address', 'Domain key, slash, back-half.'),
      text('kind', '`hash`, `keyword` or `global`.'),
      text('link_id', 'The link it leads to; empty for a global hash.'),
      text('long_url_key', 'The digest of the long URL of a global hash.'),
      createdAt,
    ],
  ),
  table(
    'keyword_history',
    'Which link each custom link led to, and when.',
    ['guid'],
    [
      guid,
      text('address', 'The custom link.'),
      text('link_id', 'The link it led to.'),
      groupGuid,
      text('login', 'The user who pointed it there.'),
      text('long_url', 'The destination at that time.'),
      createdAt,
      time('first_created_at', 'When the custom link was first created.'),
      time('deactivated_at', 'When it was pointed elsewhere; empty for the current entry.'),
    ],
  ),
  table(
    'global_links',
    'One address per long URL for the whole service (legacy API). Only in archives of all.',
    ['long_url_key'],
    [
      text('long_url_key', 'The digest of the long URL.'),
      text('address', 'Its address.'),
      text('long_url', 'Where it leads.'),
      createdAt,
    ],
  ),
  table(
    'link_deeplinks',
    'Deep links into mobile apps.',
    ['guid'],
    [
      guid,
      text('link_id', 'The link.'),
      position,
      text('app_guid', 'The mobile app.'),
      text('os', '`ios` or `android`.'),
      text('app_uri_path', 'The path inside the app.'),
      text('install_url', 'Where the app can be installed.'),
      text('install_type', 'What happens when the app is missing.'),
      text('brand_guid', 'The organization.'),
      createdAt,
      modifiedAt,
    ],
  ),
  table(
    'group_tags',
    'The tags of a group and how often they are used.',
    ['group_guid', 'type', 'tag'],
    [
      groupGuid,
      text('type', '`shortlink` or `qr_code`.'),
      text('tag', 'The tag.'),
      number('uses', 'How many links or QR codes have it.'),
    ],
  ),
  table(
    'group_tag_totals',
    'The number of tags of a group.',
    ['group_guid', 'type'],
    [groupGuid, text('type', '`shortlink` or `qr_code`.'), number('total', 'How many different tags are in use.')],
  ),
  table(
    'campaigns',
    'Marketing campaigns.',
    ['guid'],
    [
      guid,
      groupGuid,
      text('name', 'Its name.'),
      text('description', 'Its description.'),
      createdBy,
      createdAt,
      modifiedAt,
    ],
  ),
  table(
    'channels',
    'Media of campaigns, such as a newsletter.',
    ['guid'],
    [guid, groupGuid, text('name', 'Its name.'), createdAt, modifiedAt],
  ),
  table(
    'campaign_channels',
    'Which channels belong to which campaign.',
    ['campaign_guid', 'channel_guid'],
    [text('campaign_guid', 'The campaign.'), text('channel_guid', 'The channel.')],
  ),
  table(
    'channel_links',
    'Which links belong to which channel of a campaign.',
    ['channel_guid', 'campaign_guid', 'link_id'],
    [text('channel_guid', 'The channel.'), text('campaign_guid', 'The campaign.'), text('link_id', 'The link.')],
  ),
  table(
    'images',
    'Uploaded images. The bytes are in images/<sha256>.',
    ['guid'],
    [
      guid,
      groupGuid,
      text('sha256', 'The SHA-256 of the bytes, and the name of the file in images/.'),
      text('mime_type', 'image/png, image/jpeg or image/webp.'),
      number('width', 'In pixels.'),
      number('height', 'In pixels.'),
      number('size', 'In bytes.'),
      text('name', 'Its name.'),
      createdAt,
      createdBy,
    ],
  ),
  table(
    'qr_codes',
    'QR codes, also deleted ones.',
    ['id'],
    [
      text('id', 'Its id.'),
      groupGuid,
      text('link_id', 'The link it leads to.'),
      text('address', 'The address in the code.'),
      text('title', 'Its title.'),
      flag('archived', 'Whether it is archived.'),
      json('design', 'How it looks; empty for a plain one.'),
      json('gs1', 'GS1 values.'),
      createdBy,
      createdAt,
      modifiedAt,
      time('deleted_at', 'When it was deleted.'),
      text('image_id', 'The id by which everybody may fetch its picture.'),
    ],
  ),
  table(
    'qr_code_tags',
    'Tags of QR codes.',
    ['code_id', 'tag'],
    [
      text('code_id', 'The QR code.'),
      text('tag', 'The tag.'),
      position,
      groupGuid,
      time('created_at', 'When the QR code was created.'),
    ],
  ),
  table(
    'qr_code_images',
    'Which images QR codes use.',
    ['image_guid', 'qr_code_id'],
    [text('image_guid', 'The image.'), text('qr_code_id', 'The QR code.')],
  ),
  table(
    'webhooks',
    'Webhooks. A URL may itself be a secret: treat the file accordingly.',
    ['guid'],
    [
      guid,
      organizationGuid,
      text('group_guid', 'The group whose events are sent; empty for all groups.'),
      text('name', 'Its name.'),
      json('events', 'The events that are sent.'),
      { ...text('url', 'Where they are sent.'), encrypted: true },
      number('batch', 'How many events are sent together at most.'),
      flag('is_active', 'False when it is switched off.'),
      flag('fetch_tags', 'Whether tags are sent too.'),
      text('link_word', 'The word for short links in events; empty for that of the service.'),
      { ...text('oauth_url', 'Where a token is fetched before events are sent.'), encrypted: true },
      text('client_id', 'The client id for that.'),
      { ...secret('client_secret', 'The client secret for that.'), encrypted: true },
      { ...secret('secret', 'The secret that signs requests.'), encrypted: true },
      { ...secret('previous_secret', 'The secret before the last rotation.'), encrypted: true },
      { ...time('previous_until', 'Until when the previous secret signs too.'), secret: true },
      createdAt,
      modifiedAt,
      text('modified_by', 'The login of the user who changed it last.'),
      number('failures', 'Failed attempts since the last success.'),
      time('alerted_at', 'Since when it is in alert because of failures.'),
      text('alert_delivery', 'Whether a mail about that was sent to its owners: `sent` or `not_sent`.'),
      time('deactivated_at', 'When it was switched off because of failures.'),
    ],
  ),
  table(
    'stream_access',
    'Who may read the stream.',
    ['kind', 'subject'],
    [
      text('kind', '`organization` or `login`.'),
      text('subject', 'The organization or the user.'),
      text('allowed_by', 'Who allowed it.'),
      time('allowed_at', 'When.'),
    ],
  ),
  table(
    'usage',
    'What groups used per day, for the limits of plans.',
    ['group_guid', 'name', 'day', 'organization_guid'],
    [
      groupGuid,
      text('name', 'What was counted.'),
      time('day', 'Midnight UTC.'),
      text('organization_guid', 'The organization of the group on that day.'),
      number('count', 'How much.'),
    ],
  ),
  table(
    'plan_turns',
    'Order of changes to the use of plans.',
    ['organization_guid'],
    [organizationGuid, number('turns', 'The number of changes.')],
  ),
  table(
    'reached_limits',
    'Limits that organizations were told about.',
    ['organization_guid', 'name', 'month', 'percent'],
    [
      organizationGuid,
      text('name', 'The limit.'),
      time('month', 'The start of the month.'),
      number('percent', 'How much of it was used.'),
    ],
  ),
  table(
    'audit_log',
    'The audit log. Contains IP addresses of sign-ins.',
    ['guid'],
    [
      guid,
      time('at', 'When.'),
      text('action', 'What was done.'),
      text('login', 'Who did it.'),
      text('account', 'The account it was done to.'),
      text('organization_guid', 'The organization it concerns.'),
      text('subject', 'The id of what was changed.'),
      text('address', 'The IP address of the request.'),
      json('details', 'More details.'),
    ],
  ),
  table(
    'imported_clicks',
    'Which clicks of other products were imported, so that another import counts only later ones.',
    ['source', 'address'],
    [
      text('source', 'The other installation.'),
      text('address', 'The address.'),
      time('counted_until', 'All clicks before this time were counted.'),
      number('counted', 'How many clicks at that time were counted.'),
      time('noted_until', 'The same for an import that has not ended.'),
      number('noted', 'How many clicks at that time.'),
    ],
  ),
  secretTable(
    'tokens',
    'Access tokens.',
    ['guid'],
    [
      guid,
      text('secret_hash', 'The hash of the token.'),
      text('hint', 'Its last characters.'),
      text('login', 'The user it acts for.'),
      text('client_id', 'The application that uses it.'),
      text('label', 'Its label.'),
      text('answers_in', 'The word for short links in which it is answered.'),
      createdAt,
      time('last_used_at', 'When it was last used.'),
      time('revoked_at', 'When it was revoked.'),
    ],
  ),
  secretTable(
    'api_keys',
    'Keys of the legacy API.',
    ['guid'],
    [
      guid,
      text('key_hash', 'The hash of the key.'),
      text('hint', 'Its last characters.'),
      text('login', 'The user it acts for.'),
      text('label', 'Its label.'),
      createdAt,
      time('last_used_at', 'When it was last used.'),
      time('revoked_at', 'When it was revoked.'),
    ],
  ),
  secretTable(
    'two_factors',
    'Second factors of users.',
    ['login'],
    [
      text('login', 'The user.'),
      text('kind', '`sms` or `app`.'),
      { ...text('value', 'The phone number, or the secret of the authenticator app.'), encrypted: true },
      number('last_step', 'The newest accepted time step of the app.'),
    ],
  ),
  secretTable(
    'recovery_codes',
    'Codes that replace a lost second factor.',
    ['login', 'code_hash'],
    [text('login', 'The user.'), text('code_hash', 'The hash of the code.')],
  ),
  secretTable(
    'invitations',
    'Invitations.',
    ['guid'],
    [
      guid,
      text('secret_hash', 'The hash of the secret in the mail.'),
      text('email', 'Who was invited.'),
      organizationGuid,
      groupGuid,
      text('role', 'The offered role.'),
      text('invited_by', 'The login of the user who invited.'),
      text('delivery', 'Whether it was sent by mail: `sent` or `not_sent`.'),
      createdAt,
      time('expires_at', 'When it expires.'),
      time('accepted_at', 'When it was accepted.'),
      text('accepted_by', 'The login of the new user.'),
      time('revoked_at', 'When it was revoked.'),
    ],
  ),
  secretTable(
    'sessions',
    'Signed-in browsers.',
    ['secret_hash'],
    [
      text('secret_hash', 'The hash of the session secret.'),
      text('login', 'The user.'),
      createdAt,
      time('expires_at', 'When it ends.'),
      text('ip_address', 'Where it began.'),
      text('user_agent', 'The browser.'),
    ],
  ),
] as const satisfies readonly ArchiveTable[]

/** The tables that no archive contains, and why. */
export const leftOut = {
  address_changes: 'notices for caches',
  bookmarks: 'positions of readers inside one installation',
  counted_tries: 'counts of wrong passwords, kept for minutes',
  domain_changes: 'a counter for caches',
  email_changes: 'addresses that wait to be confirmed, kept for an hour',
  half_sessions: 'sign-ins that wait for a code, kept for minutes',
  held_topics: 'topics that live readers want, kept for minutes',
  bulk_jobs: 'files that users sent to create or change links, kept for a week',
  bulk_results: 'the outcomes of these files',
  idempotency_keys: 'answers for repeated requests, kept for a day',
  image_blobs: 'where the bytes of images are stored; an import stores them anew',
  journals: 'what waits in the journals of processes',
  leases: 'which process does what',
  oauth_codes: 'codes that are exchanged within minutes',
  outgoing_events: 'events that wait for the stream, kept for seconds',
  password_resets: 'secrets that are valid for an hour',
  sms_codes: 'codes that are valid for minutes',
  two_factor_setups: 'second factors that are being set up',
  unused_blobs: 'bytes of images that are about to be deleted',
  visitor_salts: 'secrets of two days, without which nobody can check who visited',
  webhook_deliveries: 'the log of requests to receivers',
  webhook_failures: 'events that wait for another try',
} as const

function table<Name extends string>(
  name: Name,
  about: string,
  key: readonly string[],
  columns: readonly ArchiveColumn[],
): ArchiveTable & { readonly name: Name } {
  return { name, about, key, columns }
}

function secretTable<Name extends string>(...given: Parameters<typeof table<Name>>) {
  return { ...table(...given), secret: true as const }
}

function text(name: string, about: string): ArchiveColumn {
  return { name, kind: 'text', about }
}

function secret(name: string, about: string): ArchiveColumn {
  return { name, kind: 'text', about, secret: true }
}

function number(name: string, about: string): ArchiveColumn {
  return { name, kind: 'number', about }
}

function time(name: string, about: string): ArchiveColumn {
  return { name, kind: 'time', about }
}

function flag(name: string, about: string): ArchiveColumn {
  return { name, kind: 'flag', about }
}

function json(name: string, about: string): ArchiveColumn {
  return { name, kind: 'json', about }
}
