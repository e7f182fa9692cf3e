/**
 * The examples of the OpenAPI documents, on every field of a JSON body and on every parameter that a call needs. A schema
 * with `examples` of its own keeps them.
 */
import { isObject } from '../../lib/is-object.js'

type JsonObject = Readonly<Record<string, unknown>>

const group = 'Bd3Kx8Qm2Lp'
const organization = 'Og5Rt1Yw7Zc'
const url = 'https://api.example.com'
const time = '2026-11-02T09:30:00+0000'
const color = '#14532d'

/**
 * The value of a field, by its name; of a field that means something else in one schema, by `Schema.name`. A field has
 * the same value everywhere, so that the examples fit together.
 */
const values: Readonly<Record<string, unknown>> = {
  access_token: '3276b58ced2e36a0ca8bea9299e0b79b49383995',
  account: 'ben',
  add_tags: ['autumn'],
  allowed_at: time,
  allowed_by: 'anna',
  angle: 45,
  api_key: 'R_0123456789abcdef0123456789abcdef',
  app_guid: 'Am4Tn6Vb9Xs',
  app_id: 'ABCDE12345.com.example.shop',
  app_uri_path: '/products/42',
  'Deeplink.app_id': 'com.example.shop',
  archive: true,
  background: '#ffffff',
  background_color: '#ffffff',
  brand_guid: group,
  browser: 'Firefox on Linux',
  bsd: 'go.example.com',
  bsds: ['go.example.com'],
  button_clicks: 0,
  bytes: 18_204,
  campaign_guid: 'Cq7Wd2Jh5Ng',
  campaign_ids: ['Cq7Wd2Jh5Ng'],
  'Campaign.guid': 'Cq7Wd2Jh5Ng',
  'Campaign.name': 'Autumn sale',
  'Campaign.description': 'Everything for the sale in November',
  channel_guid: 'Hs8Lk3Pd6Ft',
  channel_guids: ['Hs8Lk3Pd6Ft'],
  'Channel.guid': 'Hs8Lk3Pd6Ft',
  'Channel.name': 'Newsletter',
  checked_at: time,
  city: 'Lyon',
  clicked_at: '2026-11-02T09:30:00.250Z',
  clicks: 128,
  client_id: 'zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm',
  client_secret: '32ca4d62e1f15cf119ebfdb38b135c36c6efc72f',
  code: '123456',
  'Error.code': 'INVALID_DNS',
  color,
  column_count: 4,
  columns: ['id', 'long_url', 'title', 'created_at'],
  content: 'Scan me',
  count: 128,
  country: 'FR',
  country_exclude: ['US'],
  country_match: ['FR', 'BE'],
  created: time,
  created_after: 1_793_491_200,
  created_at: time,
  created_before: 1_796_083_200,
  created_by: 'anna',
  current_password: 'correct horse',
  custom_domain: 'go.example.com',
  custom_shortlink: 'go.example.com/autumn',
  custom_shortlinks: ['https://go.example.com/autumn'],
  data_uri: 'data:text/csv;base64,aWQsbG9uZ191cmwsdGl0bGUsY3JlYXRlZF9hdA0K',
  date: '2026-11-02T00:00:00+0000',
  dates: ['2026-11-02T00:00:00+0000'],
  deactivated: '',
  default_group_guid: group,
  default_link_privacy: 'public',
  guid: 'Tn5Xc8Vb1Ma',
  'Deeplink.guid': 'Rv2Bc9Mx4Kj',
  description: 'Makes short links for our newsletter',
  'Error.description': 'long_url is not a valid http or https URL.',
  details: { role: 'member' },
  device_exclude: ['tablet'],
  device_match: ['mobile'],
  device_type: 'Mobile',
  domain: 'go.example.com',
  domain_preference: 'go.example.com',
  dot_pattern_color: color,
  email: 'anna@example.com',
  end_date: '2026-11-30',
  endpoint: '/v4/shorten',
  engagement_count: 140,
  engagements: 140,
  error_code: 'invalid',
  error_correction: 2,
  export_type: 'links_list',
  expiration_at: '2027-03-31T22:00:00+0000',
  expires: '2026-11-09T09:30:00+0000',
  explanation: 'go.example.com points to this service.',
  facet: 'countries',
  'CityMetrics.facet': 'cities',
  'DeviceMetrics.facet': 'devices',
  job_guid: 'J5hTm2Wq8Zk',
  'ReferrersByDomain.facet': 'referrers_by_domain',
  result: `${url}/v4/bulk/jobs/J5hTm2Wq8Zk/result`,
  'ScanCities.facet': 'cities',
  'ShortenCounts.facet': 'shorten_counts',
  field: 'long_url',
  file: `${url}/v4/images/Ik2Vf9Jq4Xr7Nd1Wb6Tm8Zp/file`,
  filename: 'links-2026-11-02.csv',
  first_created: time,
  group: `${url}/v4/groups/${group}`,
  group_guid: group,
  group_guids: [group],
  html: '<!doctype html><title>Anna</title>',
  'Group.guid': group,
  'Group.name': 'Marketing',
  'Group.role': 'group-admin',
  groups: `${url}/v4/groups?organization_guid=${organization}`,
  hash: '3xYz12A',
  height: 512,
  hint: '3995',
  host: 'go.example.com',
  id: 'go.example.com/3xYz12A',
  image: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
  image_guid: 'Ik2Vf9Jq4Xr7Nd1Wb6Tm8Zp',
  image_url: 'https://go.example.com/assets/qr/P3kQ9sXc0Zr7LmVt2bYw8He.svg',
  'Image.guid': 'Ik2Vf9Jq4Xr7Nd1Wb6Tm8Zp',
  'Image.name': 'Logo',
  inner_color: color,
  install_url: 'https://apps.example.com/shop',
  install_type: 'auto_install',
  invitation_guid: 'Np4Gh7Sd2Lw',
  invited_by: 'anna',
  ip_address: '203.0.113.7',
  key: '01',
  'ReferrersByDomain.key': 'https://news.example.org/today',
  'ShortenCounts.key': time,
  keyword: 'autumn',
  label: 'Newsletter script',
  last_used_at: time,
  launchpad_ids: [],
  lib_button_clicks: 0,
  limit: 1000,
  link: 'https://go.example.com/3xYz12A',
  links: ['go.example.com/3xYz12A'],
  login: 'anna',
  logo_image_guid: 'Ik2Vf9Jq4Xr7Nd1Wb6Tm8Zp',
  long_url: 'https://www.example.com/sale?utm_source=newsletter',
  long_urls: ['https://www.example.com/sale?utm_source=newsletter'],
  media_type: 'text/csv',
  message: 'INVALID_ARG_LONG_URL',
  method: 'app',
  'MobileApp.guid': 'Am4Tn6Vb9Xs',
  'MobileApp.name': 'Shop',
  modified: time,
  name: 'Newsletter',
  network: 'news.example.org',
  new_password: 'battery staple',
  next: `${url}/v4/groups/${group}/shortlinks?size=50&search_after=MTc5Mzc4NzAwMA`,
  no_city_clicks: 3,
  no_city_scans: 3,
  not_found_url: 'https://www.example.com/not-found',
  offset: 0,
  organization: `${url}/v4/organizations/${organization}`,
  organization_guid: organization,
  'Organization.guid': organization,
  'Organization.name': 'Example Ltd',
  'Organization.role': 'admin',
  os: 'ios',
  os_exclude: ['android'],
  os_match: ['ios'],
  other_city_clicks: 12,
  other_city_scans: 12,
  otpauth_uri: 'otpauth://totp/shortlink:anna?secret=JBSWY3DPEHPK3PXP&issuer=shortlink',
  outer_color: color,
  package_name: 'com.example.shop',
  password: 'correct horse',
  paths: ['/products/*'],
  phone: '+4915123456789',
  phone_hint: '789',
  plan: 'team',
  plan_display_name: 'Team',
  primary: color,
  qr_code: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
  qr_code_ids: ['Qw6Zt1Rn8Bv'],
  qr_code_image: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
  qr_code_type: 'shortlink',
  qrcode_id: 'Qw6Zt1Rn8Bv',
  query: 'sale',
  recovery_codes: ['4f7k-9q2m', 'x8dn-3tpa'],
  recovery_codes_left: 10,
  redirect_uris: ['https://desk.example.com/back'],
  references: { organization: `${url}/v4/organizations/${organization}` },
  region: 'Auvergne-Rhône-Alpes',
  region_exclude: ['US-CA'],
  region_match: ['FR-ARA'],
  remove_tags: ['summer'],
  require_2fa: 'none',
  require_sso: 'none',
  resource: 'shortlinks',
  role: 'member',
  root_url: 'https://www.example.com',
  row_count: 250,
  scans: 12,
  search_after: 'MTc5Mzc4NzAwMA',
  secondary: '#ffffff',
  secret: 'JBSWY3DPEHPK3PXP',
  serialized_content: 'https://go.example.com/3xYz12A?r=qr',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  sha256_cert_fingerprints: [
    '14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5',
  ],
  shortlink: 'go.example.com/3xYz12A',
  shortlink_id: 'go.example.com/3xYz12A',
  shortlinks: ['go.example.com/3xYz12A'],
  site_id: group,
  size: 50,
  size_bytes: 18_204,
  start_date: '2026-01-01',
  store_url: 'https://apps.example.com/shop',
  subject: 'ben',
  subregion: 'Rhône',
  tags: ['autumn', 'newsletter'],
  tier: 'team',
  tier_display_name: 'Team',
  tier_family: 'team',
  title: 'Autumn sale',
  topics: [`clicks_${organization}`],
  total_clicks: 128,
  total_engagements: 140,
  total_scans: 12,
  ts: '2026-11-02T00:00:00+0000',
  type: 'CNAME',
  'DnsReport.match': true,
  'DnsReport.name': 'go.example.com',
  'DnsReport.value': 'links.example.com',
  'CustomDomainDns.match': true,
  'CustomDomainDns.name': 'go.example.com',
  'CustomDomainDns.records_valid': true,
  'CustomDomainDns.value': 'links.example.com',
  'LastEngagements.type': 'click',
  unit: 'day',
  unit_reference: time,
  unit_start: '2026-11-01T00:00:00+0000',
  units: 30,
  unix_from: 1_793_491_200,
  unix_to: 1_796_083_200,
  updated: time,
  uri_scheme: 'shop',
  user: 'anna',
  'User.name': 'Anna Berger',
  value: '09506000134352',
  template_guid: 'Un3Rk7Tq5Wd',
  annotation_guid: 'Zk5Rw8Tn2Bd',
  'Annotation.text': 'Newsletter sent',
  happened_at: time,
  view_guid: 'Vm4Rk7Tq5Wd',
  utm_campaign: 'autumn-sale',
  utm_content: 'hero',
  utm_medium: 'email',
  utm_source: 'newsletter',
  utm_term: 'shoes',
  visitors: 96,
  'FacetedMetrics.value': 'FR',
  'ReferrersByDomain.value': 128,
  'ScanMetrics.value': 'FR',
  'ShortenCounts.value': 12,
  width: 512,
}

/**
 * The document with an example on each field of a JSON body, and on each parameter that is required. Readers compose the
 * example of a body from them, unless its schema has one of its own.
 */
export function withExamples(document: JsonObject): JsonObject {
  const components = inside(document, 'components')
  const schemas = mapValues(components.schemas, (schema, owner) => withFields(schema, '', owner))
  const paths = mapValues(document.paths, (operations) => mapValues(operations, withExamplesOf))
  return { ...document, components: { ...components, schemas }, paths }
}

function withExamplesOf(operation: JsonObject): JsonObject {
  const { parameters, requestBody, responses } = operation
  return {
    ...operation,
    ...(Array.isArray(parameters) && { parameters: parameters.map(parameterWithExample) }),
    ...(isObject(requestBody) && { requestBody: contentWithExamples(requestBody) }),
    responses: mapValues(responses, (response, status) =>
      status.startsWith('2') ? contentWithExamples(response) : response,
    ),
  }
}

function parameterWithExample(parameter: JsonObject): JsonObject {
  if (parameter.required !== true || parameter.example !== undefined) return parameter
  const example = exampleOf(inside(parameter, 'schema'), String(parameter.name))
  return example === undefined ? parameter : { ...parameter, example }
}

function contentWithExamples(holder: JsonObject): JsonObject {
  if (!isObject(holder.content)) return holder
  const content = mapValues(holder.content, (media, type) =>
    /json|urlencoded/.test(type) ? { ...media, schema: withFields(inside(media, 'schema'), '') } : media,
  )
  return { ...holder, content }
}

/** `owner`: the shared schema that the field is in. */
function withFields(schema: JsonObject, name: string, owner?: string): JsonObject {
  const { $ref, examples, properties, items } = schema
  if ($ref !== undefined || Array.isArray(examples)) return schema
  if (isObject(properties)) {
    return { ...schema, properties: mapValues(properties, (field, each) => withFields(field, each, owner)) }
  }
  if (isObject(items) && (isObject(items.properties) || items.$ref !== undefined)) {
    return { ...schema, items: withFields(items, name, owner) }
  }
  const example = exampleOf(schema, name, owner)
  return example === undefined ? schema : { ...schema, examples: [example] }
}

/** Undefined where nobody knows a good value: an optional field is then left out. */
function exampleOf(schema: JsonObject, name: string, owner?: string): unknown {
  const { examples, type, enum: choices, anyOf, items } = schema
  if (Array.isArray(examples)) return examples[0]
  const known = values[`${owner}.${name}`] ?? values[name]
  if (known !== undefined && isOfType(known, schema) && allows(choices, known)) return known
  if (Array.isArray(choices)) return choices[0]
  if (Array.isArray(anyOf) && type === undefined) return exampleOf(anyOf[0] as JsonObject, name, owner)
  if (schema.const !== undefined) return schema.const
  const types = [type].flat()
  if (types.includes('array')) {
    const item = isObject(items) ? exampleOf(items, name, owner) : undefined
    return item === undefined ? undefined : [item]
  }
  return schema.default ?? plainExample(types)
}

/** Every number is a good example, but not every text. */
function plainExample(types: readonly unknown[]): unknown {
  if (types.includes('boolean')) return false
  return types.includes('integer') || types.includes('number') ? 12 : undefined
}

function isOfType(value: unknown, { type, items }: JsonObject): boolean {
  const types = [type].flat()
  if (Array.isArray(value)) return types.includes('array') && value.every((each) => isOfType(each, inside(items)))
  return types.includes(typeof value) || (Number.isInteger(value) && types.includes('integer'))
}

function allows(choices: unknown, value: unknown): boolean {
  return !Array.isArray(choices) || choices.includes(value)
}

function inside(holder: unknown, name?: string): JsonObject {
  const value = name !== undefined && isObject(holder) ? holder[name] : holder
  return isObject(value) ? value : {}
}

function mapValues(holder: unknown, change: (value: JsonObject, name: string) => JsonObject): JsonObject {
  const entries = Object.entries(inside(holder)).map(([name, value]) => [
    name,
    isObject(value) ? change(value, name) : value,
  ])
  return Object.fromEntries(entries)
}
