/** Records of every kind, as the database stores them, made from random texts and numbers. */
import { createHash } from 'node:crypto'
import type { StoredRow } from '../../src/core/copies/values.js'
import { defaultAppearance } from '../../src/core/sites/site.js'
import type { TableName } from '../../src/storage/sql/tables/index.js'
import type { Random } from './random.js'

export interface RandomRecords {
  /** Of all tables that are in archives. */
  readonly tables: Tables
  /** Bytes of images by SHA-256. */
  readonly images: ReadonlyMap<string, Uint8Array>
  readonly organizations: readonly string[]
  /** Addresses with their groups. */
  readonly targets: readonly { readonly address: string; readonly group: string }[]
}

type Tables = Readonly<Record<ArchivedTable, readonly StoredRow[]>>

type ArchivedTable = Exclude<TableName, Local>

type Local = Extract<
  TableName,
  | `${string}_changes`
  | `${string}_blobs`
  | `bulk_${string}`
  | `webhook_${string}`
  | 'bookmarks'
  | 'counted_tries'
  | 'half_sessions'
  | 'idempotency_keys'
  | 'site_icons'
  | 'journals'
  | 'leases'
  | 'oauth_codes'
  | 'passkey_challenges'
  | 'password_resets'
  | 'provider_sign_ins'
  | 'sms_codes'
  | 'two_factor_setups'
  | 'visitor_salts'
>

export function rowsOf({ tables }: Pick<RandomRecords, 'tables'>, table: string): readonly StoredRow[] {
  return tables[table as ArchivedTable]
}

/** `size`: the number of links; of everything else there is less. */
export function randomRecords(random: Random, size: number): RandomRecords {
  const few = Math.max(3, Math.floor(size / 10))
  const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  const guids = (letter: string, count: number) => list(count, (at) => `${letter}${random.word(8)}${at}`)
  const times = () => ({ created_at: random.time(), modified_at: random.time() })
  const json = () => JSON.stringify({ a: random.text(), b: [random.below(9), null, true], c: { d: random.next() } })

  const page = (linkId: string) => {
    const shown = { isActive: true, isPinned: false, isSample: false }
    const text = { id: random.word(), type: 'text_block', content: { text: random.text() }, ...shown }
    const button = { id: random.word(), type: 'shortlink', content: { linkId, title: random.text() }, ...shown }
    const words = { displayName: random.text(), description: random.text() }
    return JSON.stringify({ ...words, appearance: defaultAppearance, blocks: [text, button] })
  }

  const organizations = guids('O', 3)
  const groups = guids('B', 6)
  const organizationOf = new Map(groups.map((group, at) => [group, organizations[at % organizations.length] ?? '']))
  const logins = list(few, (at) => `${random.word(4).toLowerCase()}${at}`)
  const formerLogins = list(3, (at) => `former${at}`)
  const group = () => random.of(groups)
  const login = () => random.of(logins)
  const organization = () => random.of(organizations)

  const domainNames = list(4, (at) => `go${at}.${random.word(4).toLowerCase()}.example`)
  const keys = ['sho.rt', ...domainNames]
  const linkIds = list(size, (at) => ({ domain: random.of(keys), hash: `${random.word()}${at}` }))
  const siteGuids = guids('M', 3)
  const links = linkIds.map(({ domain, hash }, at) => ({
    id: `${domain}/${hash}`,
    domain,
    hash,
    group_guid: group(),
    ...{
      long_url: random.url(),
      long_url_key: random.word(20),
      reuse_key: random.maybe(() => `${hash} ${random.word(9)}`),
    },
    title: random.maybe(() => random.text()),
    archived: random.flag(),
    ...times(),
    created_by: random.of([...logins, ...formerLogins]),
    client_id: random.maybe(() => random.word()),
    expires_at: random.maybe(() => random.time()),
    deleted_at: random.maybe(() => random.time()),
    edited_at: random.maybe(() => random.time()),
    dynamic_routing: random.maybe(json),
    ...{
      note: random.maybe(() => random.text()),
      private: random.flag(),
      forward_query: random.flag(),
      user_ts: random.maybe(() => random.time()),
    },
    keyword_count: random.below(3),
    hidden: random.flag(),
    site_guid: siteGuids[at] ?? null,
  }))
  const link = () => random.of(links)
  const keywords = list(few, (at) => ({ address: `${random.of(keys)}/kw-${random.word(5)}${at}`, link: link() }))
  /** Of each site one: those of its keywords first. */
  const buttons = siteGuids.map((_, at) => (keywords[at]?.link ?? link()).id)
  const campaigns = guids('C', few)
  const channels = guids('H', few)
  const apps = guids('A', 3)
  const codes = guids('Q', few)
  const codeRows = codes.map((id) => {
    const { id: link_id, group_guid } = link()
    return {
      ...{
        id,
        group_guid,
        link_id,
        address: link_id,
        title: random.maybe(() => random.text()),
        archived: random.flag(),
      },
      design: random.maybe(json),
      gs1: random.maybe(json),
      created_by: login(),
      ...times(),
      image_id: `P${random.word()}${id}`,
      deleted_at: random.maybe(() => random.time()),
    }
  })
  const images = new Map<string, Uint8Array>()
  const imageRows = guids('I', 4).map((guid) => {
    const bytes = Buffer.from(random.text() + random.word(40))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    images.set(sha256, bytes)
    return {
      guid,
      group_guid: group(),
      sha256,
      mime_type: random.of(['image/png', 'image/jpeg', 'image/webp']),
      width: random.below(900),
      height: random.below(900),
      size: bytes.length,
      name: random.text(),
      created_at: random.time(),
      created_by: login(),
    }
  })
  const tagsOf = (count: number, make: (tag: string, position: number) => StoredRow) =>
    list(count, (at) => make(`${random.text()}${at}`, random.below(9)))
  const perGroupTag = groups.flatMap((group_guid) =>
    (['shortlink', 'qr_code'] as const).map((type) => ({ group_guid, type })),
  )
  const hash = () => createHash('sha256').update(random.word(30)).digest('hex')

  const tables: Tables = {
    organizations: organizations.map((guid) => ({ guid, name: random.text(), ...times(), is_active: random.flag() })),
    organization_plans: organizations.slice(1).map((organization_guid) => ({
      organization_guid,
      plan: random.word(),
      assigned_at: random.time(),
      revision: random.below(9),
    })),
    groups: groups.map((guid) => ({
      guid,
      organization_guid: organizationOf.get(guid) ?? '',
      name: random.text(),
      domain_preference: random.maybe(() => random.of(keys)),
      ...times(),
      is_active: random.flag(),
      time_zone: random.maybe(() => 'Europe/Berlin'),
    })),
    users: logins.map((login) => {
      const email = random.maybe(() => `${login}.Ü@Example.com`)
      return {
        login,
        name: random.text(),
        email,
        email_key: email?.toLowerCase() ?? null,
        email_verified_at: random.maybe(() => random.time()),
        password_hash: `$argon2id$${random.word(30)}`,
        default_group_guid: group(),
        ...times(),
        is_active: random.flag(),
        default_link_privacy: random.of(['public', 'private']),
      }
    }),
    organization_members: logins.map((login) => ({
      organization_guid: organization(),
      login,
      role: random.of(['admin', 'member']),
      given_by: random.maybe(() => 'https://id.example.com'),
      former_role: random.maybe(() => 'member'),
    })),
    group_members: logins.map((login) => ({
      group_guid: group(),
      login,
      role: random.of(['admin', 'member', 'reader']),
      given_by: random.maybe(() => 'https://id.example.com'),
      former_role: random.maybe(() => 'reader'),
    })),
    removed_users: formerLogins.map((login) => ({ login, removed_at: random.time() })),
    applications: list(3, () => ({
      ...{
        client_id: random.word(20),
        secret_hash: hash(),
        login: random.maybe(() => login()),
        name: random.text(),
        description: random.text(),
      },
      link: random.url(),
      redirect_uris: JSON.stringify([random.url()]),
      require_pkce: random.flag(),
      scopes: '["links:read"]',
      is_public: random.flag(),
      allowed_at: random.maybe(() => random.time()),
      answers_in: random.maybe(() => random.word()),
      created_at: random.time(),
      revoked_at: random.maybe(() => random.time()),
    })),
    built_in_domains: [
      { key: 'sho.rt', name: 'sho.rt', former_names: 'a.example\nb.example', position: random.maybe(() => 0) },
    ],
    domains: domainNames.map((name) => ({
      name,
      organization_guid: organization(),
      root_url: random.maybe(() => random.url()),
      not_found_url: random.maybe(() => random.url()),
      created_at: random.time(),
      created_by: login(),
    })),
    pending_domains: list(2, (at) => ({
      name: `pending${at}.example`,
      organization_guid: organization(),
      group_guids: JSON.stringify([group()]),
      root_url: random.maybe(() => random.url()),
      not_found_url: random.maybe(() => random.url()),
      created_at: random.time(),
      created_by: login(),
    })),
    group_domains: domainNames.map((domain) => ({ group_guid: group(), domain })),
    removed_domains: [{ name: 'gone.example', organization_guid: organization(), removed_at: random.time() }],
    mobile_apps: apps.map((guid) => ({
      guid,
      organization_guid: organization(),
      name: random.text(),
      os: random.of(['ios', 'android']),
      ...{
        store_url: random.url(),
        uri_scheme: random.word(),
        association: json(),
        is_allowed: random.flag(),
        ...times(),
      },
    })),
    utm_templates: list(3, (at) => ({
      guid: `U${random.word()}${at}`,
      group_guid: group(),
      name: `${random.text()}${at}`,
      source: random.text(),
      medium: random.text(),
      campaign: random.text(),
      term: random.text(),
      content: random.text(),
      created_by: login(),
      ...times(),
    })),
    views: list(3, (at) => ({
      guid: `V${random.word()}${at}`,
      group_guid: group(),
      name: `${random.text()}${at}`,
      page: random.flag() ? 'links' : 'analytics',
      query: random.text(),
      created_by: login(),
      ...times(),
    })),
    annotations: list(3, (at) => ({
      guid: `Z${random.word()}${at}`,
      group_guid: group(),
      happened_at: random.below(2_000_000_000_000),
      text: random.text(),
      created_by: login(),
      ...times(),
    })),
    links,
    link_tags: links.flatMap(({ id, group_guid, created_at }) =>
      tagsOf(random.below(3), (tag, position) => ({ link_id: id, tag, position, group_guid, created_at })),
    ),
    addresses: [
      ...links.map(({ id, created_at }) => ({
        address: id,
        kind: 'hash',
        link_id: id,
        long_url_key: null,
        created_at,
      })),
      ...keywords.map(({ address, link }) => ({
        address,
        kind: 'keyword',
        link_id: link.id,
        long_url_key: null,
        created_at: random.time(),
      })),
      { address: 'sho.rt/global', kind: 'global', link_id: null, long_url_key: 'key', created_at: random.time() },
    ],
    keyword_history: keywords.flatMap(({ address, link }, at) =>
      list(2, (turn) => ({
        ...{
          guid: `K${random.word()}${at}-${turn}`,
          address,
          link_id: link.id,
          group_guid: link.group_guid,
          login: login(),
        },
        long_url: random.url(),
        created_at: random.time(),
        first_created_at: random.time(),
        deactivated_at: random.maybe(() => random.time()),
      })),
    ),
    link_history: links.flatMap(({ id, long_url }, at) =>
      list(random.below(3), (number) => ({
        guid: `M${random.word()}${at}-${number}`,
        link_id: id,
        number,
        login: login(),
        client_id: random.maybe(() => random.word()),
        created_at: random.time(),
        before: JSON.stringify({ longUrl: long_url }),
        after: JSON.stringify({ title: random.text() }),
      })),
    ),
    global_links: [
      { long_url_key: 'key', address: 'sho.rt/global', long_url: random.url(), created_at: random.time() },
    ],
    link_deeplinks: list(few, (at) => ({
      guid: `D${random.word()}${at}`,
      link_id: link().id,
      position: random.below(3),
      app_guid: random.of(apps),
      os: random.of(['ios', 'android']),
      app_uri_path: random.text(),
      install_url: random.url(),
      install_type: 'auto_install',
      brand_guid: organization(),
      ...times(),
    })),
    group_tags: perGroupTag.flatMap(({ group_guid, type }) =>
      list(random.below(4), (at) => ({ group_guid, type, tag: `${random.text()}${at}`, uses: random.below(99) })),
    ),
    group_tag_details: list(few, (at) => ({
      group_guid: group(),
      tag: `${random.text()}${at}`,
      color: random.of(['gray', 'teal']),
      description: random.text(),
    })),
    group_tag_totals: perGroupTag.map((which) => ({ ...which, total: random.below(9) })),
    campaigns: campaigns.map((guid) => ({
      ...{
        guid,
        group_guid: group(),
        name: random.text(),
        description: random.text(),
        created_by: login(),
        ...times(),
      },
    })),
    channels: channels.map((guid) => ({ guid, group_guid: group(), name: random.text(), ...times() })),
    campaign_channels: campaigns.map((campaign_guid, at) => ({ campaign_guid, channel_guid: channels[at] ?? '' })),
    channel_links: campaigns.flatMap((campaign_guid, at) =>
      list(2, (turn) => ({ channel_guid: channels[at] ?? '', campaign_guid, link_id: links[turn]?.id ?? '' })),
    ),
    images: imageRows,
    qr_codes: codeRows,
    qr_code_tags: codeRows.flatMap(({ id, group_guid, created_at }) =>
      tagsOf(random.below(3), (tag, position) => ({ code_id: id, tag, position, group_guid, created_at })),
    ),
    qr_code_images: imageRows.map(({ guid }) => ({ image_guid: guid, qr_code_id: random.of(codes) })),
    sites: siteGuids.map((guid, at) => ({
      guid,
      group_guid: group(),
      link_id: links[at]?.id ?? '',
      address: `sho.rt/m/${random.word()}${at}`,
      status: random.of(['active', 'inactive']),
      draft: page(buttons[at] ?? ''),
      live: random.maybe(() => page(buttons[at] ?? '')),
      qr_code_id: random.maybe(() => random.of(codes)),
      published_at: random.maybe(() => random.time()),
      created_by: login(),
      ...times(),
    })),
    site_redirects: siteGuids.map((site_guid, at) => ({
      guid: `r${random.word()}${at}`,
      site_guid,
      address: `sho.rt/m/${random.word()}${at}`,
      status: random.of(['active', 'inactive']),
      ...times(),
    })),
    site_links: siteGuids.map((site_guid, at) => ({
      link_id: buttons[at] ?? '',
      site_guid,
      type: 'shortlink',
      is_used: random.flag(),
      is_live: random.flag(),
      was_live: random.flag(),
    })),
    site_images: siteGuids.map((site_guid, at) => ({ image_guid: imageRows[at]?.guid ?? '', site_guid })),
    webhooks: guids('W', 3).map((guid) => ({
      guid,
      organization_guid: organization(),
      group_guid: random.maybe(group),
      name: random.text(),
      ...{
        events: JSON.stringify(['link.created']),
        url: random.url(),
        batch: random.below(9),
        is_active: random.flag(),
      },
      fetch_tags: random.flag(),
      link_word: random.maybe(() => random.word()),
      oauth_url: random.url(),
      client_id: random.word(),
      client_secret: random.text(),
      secret: random.word(30),
      previous_secret: random.word(30),
      previous_until: random.time(),
      ...times(),
      modified_by: login(),
      failures: random.below(9),
      alerted_at: random.maybe(() => random.time()),
      deactivated_at: random.maybe(() => random.time()),
    })),
    stream_access: [
      { kind: 'organization', subject: organization(), allowed_by: 'operator', allowed_at: random.time() },
      { kind: 'login', subject: login(), allowed_by: login(), allowed_at: random.time() },
    ],
    usage: groups.map((group_guid, at) => ({
      ...{
        group_guid,
        name: 'links',
        day: Date.UTC(2026, 0, 1 + at),
        organization_guid: organizationOf.get(group_guid) ?? '',
      },
      count: random.below(999),
    })),
    plan_turns: organizations.map((organization_guid) => ({ organization_guid, turns: random.below(9) })),
    reached_limits: organizations.flatMap((organization_guid) =>
      [80, 100].map((percent) => ({ organization_guid, name: 'links', month: Date.UTC(2026, 0), percent })),
    ),
    audit_log: list(few, (at) => ({
      guid: `E${random.word()}${at}`,
      at: random.time(),
      action: 'sign-in',
      login: random.maybe(login),
      account: random.maybe(login),
      organization_guid: random.maybe(organization),
      subject: random.maybe(() => random.text()),
      address: random.maybe(() => '192.0.2.7'),
      details: json(),
    })),
    imported_clicks: list(few, (at) => ({
      source: random.text(),
      address: `${link().id}${at}`,
      counted_until: random.maybe(() => random.time()),
      counted: random.below(9),
      noted_until: random.time(),
      noted: random.below(9),
    })),
    tokens: list(few, (at) => ({
      guid: `T${random.word()}${at}`,
      secret_hash: hash(),
      hint: random.word(4),
      login: login(),
      client_id: random.maybe(() => random.word()),
      label: random.text(),
      created_at: random.time(),
      answers_in: random.maybe(() => random.word()),
      scopes: '["qr","sites"]',
      group_guids: random.maybe(() => JSON.stringify([random.word()])),
      expires_at: random.maybe(() => random.time()),
      replaced_by: random.maybe(() => random.word()),
      refresh_key: random.maybe(() => `${hash()}${at}`),
      refresh_hash: random.maybe(() => hash()),
      former_refresh_hash: random.maybe(() => hash()),
      refresh_salt: random.maybe(() => hash()),
      refreshed_at: random.maybe(() => random.time()),
      refresh_expires_at: random.maybe(() => random.time()),
      last_used_at: random.maybe(() => random.time()),
      revoked_at: random.maybe(() => random.time()),
    })),
    api_keys: list(3, (at) => ({
      ...{
        guid: `Y${random.word()}${at}`,
        key_hash: hash(),
        hint: random.word(4),
        login: login(),
        label: random.text(),
      },
      created_at: random.time(),
      last_used_at: random.maybe(() => random.time()),
      revoked_at: random.maybe(() => random.time()),
    })),
    two_factors: logins
      .slice(1)
      .map((login) => ({ login, kind: 'app', value: random.word(32), last_step: random.below(9) })),
    passkeys: logins.slice(1).map((login, at) => ({
      guid: `k${random.word()}${at}`,
      login,
      name: random.text(),
      credential_id: hash(),
      public_key: random.word(99),
      counter: random.below(9),
      transports: '["internal","hybrid"]',
      created_at: random.time(),
      last_used_at: random.maybe(() => random.time()),
    })),
    recovery_codes: logins.map((login) => ({ login, code_hash: hash() })),
    invitations: list(3, (at) => ({
      guid: `V${random.word()}${at}`,
      secret_hash: hash(),
      email: `${random.word()}@example.com`,
      organization_guid: organization(),
      group_guid: group(),
      role: 'member',
      invited_by: login(),
      created_at: random.time(),
      expires_at: random.time(),
      accepted_at: random.maybe(() => random.time()),
      accepted_by: random.maybe(login),
      revoked_at: random.maybe(() => random.time()),
    })),
    sessions: logins.map((login) => ({
      secret_hash: hash(),
      login,
      created_at: random.time(),
      expires_at: random.time(),
      ip_address: random.maybe(() => '2001:db8::7'),
      user_agent: random.maybe(() => random.text()),
      issuer: random.maybe(() => 'https://id.example.com'),
      subject: random.maybe(() => random.text()),
      provider_session: random.maybe(() => random.word()),
      provider_tokens: random.maybe(() => JSON.stringify({ refreshToken: random.text() })),
      checked_at: random.maybe(() => random.time()),
      confirmed_at: random.maybe(() => random.time()),
    })),
    identities: logins.map((login, at) => ({
      issuer: 'https://id.example.com',
      subject: `${random.word()}${at}`,
      login,
      created_at: random.time(),
      last_sign_in_at: random.time(),
      external_id: random.maybe(() => random.text()),
    })),
    provisioned_users: logins.map((login, at) => ({
      id: `u${at}`,
      issuer: 'https://id.example.com',
      login,
      user_name: `Name${at}`,
      user_name_key: `name${at}`,
      external_id: random.maybe(() => `${random.word()}${at}`),
      attributes: json(),
      is_active: random.below(2),
      has_deactivated: random.below(2),
      ...times(),
    })),
    provisioned_groups: list(3, (at) => ({
      id: `g${at}`,
      issuer: 'https://id.example.com',
      name: `Group${at}`,
      name_key: `group${at}`,
      external_id: random.maybe(() => random.word()),
      ...times(),
    })),
    provisioned_members: logins.map((login) => ({ group_id: 'g0', login })),
  }
  const targets = [
    ...links.map(({ id, group_guid }) => ({ address: id, group: group_guid })),
    ...keywords.map(({ address, link }) => ({ address, group: link.group_guid })),
    { address: 'sho.rt/global', group: '' },
  ]
  return { tables, images, organizations, targets }
}
