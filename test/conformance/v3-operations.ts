/**
 * Every v3 operation with its parameters and the words it must be able to answer (status_txt). docs/conformance.md is made
 * of this table and of what the API tests really got; a word that no test produced is an error, others are added.
 */
export interface LegacyOperation {
  readonly path: string
  readonly parameters: readonly string[]
  readonly words: readonly string[]
  /** Where it is not 200, as everywhere else: NSQ clients ask lookup and go by the status. */
  readonly statusWithoutToken?: number
}

const window = ['unit', 'units', 'timezone', 'tz_offset', 'limit', 'unit_reference_ts']
const badWindow = ['UNIT', 'UNITS', 'TIMEZONE', 'LIMIT', 'UNIT_REFERENCE_TS'].map((name) => `INVALID_ARG_${name}`)
const noLink = ['MISSING_ARG_LINK', 'NOT_FOUND']
const items = ['MISSING_ARG_SHORTURL_OR_HASH', 'INVALID_ARG_SHORTURL_OR_HASH']
const uri = ['MISSING_ARG_URI', 'INVALID_URI', 'ALREADY_A_SHORTLINK']
const details = ['TITLE', 'NOTE', 'PRIVATE', 'USER_TS'].map((name) => `INVALID_ARG_${name}`)
const keyed = ['login', 'apiKey']
const keys = ['MISSING_ARG_LOGIN', 'MISSING_ARG_APIKEY', 'INVALID_LOGIN', 'INVALID_APIKEY']

export const legacyOperations: readonly LegacyOperation[] = [
  row(
    'expand',
    ['shortUrl', 'hash', 'login', 'apiKey'],
    [...items, ...keys.slice(1), 'INVALID_ARG_FORMAT', 'INVALID_ARG_CALLBACK'],
  ),
  row('info', ['shortUrl', 'hash', 'expand_user'], [...items, 'INVALID_ARG_EXPAND_USER']),
  row('link/lookup', ['url'], ['MISSING_ARG_URL', 'RATE_LIMIT_EXCEEDED']),
  row(
    'shorten',
    ['longUrl', 'uri', 'domain', 'login', 'apiKey'],
    [...uri, 'INVALID_ARG_DOMAIN', 'MISSING_ARG_LOGIN', 'FORBIDDEN', 'MONTHLY_ENCODE_LIMIT_REACHED'],
  ),
  row(
    'user/link_edit',
    ['link', 'title', 'note', 'private', 'user_ts', 'archived', 'edit'],
    [
      ...noLink,
      ...['EDIT', 'TITLE', 'NOTE', 'PRIVATE', 'USER_TS', 'ARCHIVED'].map((name) => `MISSING_ARG_${name}`),
      ...['EDIT', 'TITLE', 'PRIVATE', 'USER_TS', 'ARCHIVED'].map((name) => `INVALID_ARG_${name}`),
      'FORBIDDEN',
    ],
  ),
  row('user/link_lookup', ['url'], ['MISSING_ARG_URL']),
  row(
    'user/link_save',
    ['longUrl', 'uri', 'title', 'note', 'private', 'user_ts'],
    ['LINK_ALREADY_EXISTS', ...uri, ...details, 'FORBIDDEN', 'MONTHLY_ENCODE_LIMIT_REACHED'],
  ),
  report('clicks', ['rollup'], ['INVALID_ARG_ROLLUP']),
  report('countries'),
  report('referrers'),
  report('referrers_by_domain'),
  report('referring_domains'),
  row(
    'link/encoders',
    ['link', 'my_network', 'limit', 'expand_user'],
    [...noLink, 'INVALID_ARG_LIMIT', 'INVALID_ARG_MY_NETWORK', 'INVALID_ARG_EXPAND_USER'],
  ),
  row('link/encoders_count', ['link'], noLink),
  row('campaigns', [], ['UPGRADE_REQUIRED']),
  row('campaigns/channel_names', [], ['UPGRADE_REQUIRED']),
  row(
    'campaigns/create',
    ['title', 'description', 'channel'],
    [
      'MISSING_ARG_TITLE',
      'INVALID_ARG_TITLE',
      'INVALID_ARG_DESCRIPTION',
      'INVALID_ARG_CHANNEL',
      'FORBIDDEN',
      'UPGRADE_REQUIRED',
    ],
  ),
  row('campaigns/get', ['campaign_id'], ['MISSING_ARG_CAMPAIGN_ID', 'NOT_FOUND', 'FORBIDDEN']),
  row(
    'campaigns/update',
    ['campaign_id', 'title', 'description', 'channel'],
    ['MISSING_ARG_CAMPAIGN_ID', 'NOT_FOUND', 'FORBIDDEN'],
  ),
  row('user/info', ['login'], ['NOT_FOUND']),
  row('oauth/app', ['client_id'], ['MISSING_ARG_CLIENT_ID', 'NOT_FOUND']),
  row(
    'user/link_history',
    [
      ...['limit', 'offset', 'created_before', 'created_after', 'archived', 'private', 'query', 'keyword'],
      ...['exact_domain', 'root_domain', 'campaign_id', 'link', 'user', 'modified_after', 'expand_client_id'],
    ],
    [
      ...['LIMIT', 'OFFSET', 'ARCHIVED', 'PRIVATE', 'CREATED_AFTER', 'QUERY'].map((name) => `INVALID_ARG_${name}`),
      'INVALID_ARG_MODIFIED_AFTER',
      'INVALID_ARG_EXPAND_CLIENT_ID',
      'NOT_FOUND',
    ],
  ),
  row('link/info', ['link'], noLink),
  row('clicks', ['shortUrl', 'hash', ...keyed], items),
  row('clicks_by_day', ['shortUrl', 'hash', 'days', ...keyed], [...items, 'INVALID_ARG_DAYS']),
  row('clicks_by_minute', ['shortUrl', 'hash', ...keyed], items),
  row('countries', ['shortUrl', 'hash', ...keyed], [...items, 'NOT_FOUND', 'FORBIDDEN']),
  row('referrers', ['shortUrl', 'hash', ...keyed], [...items, 'NOT_FOUND', 'FORBIDDEN']),
  row('lookup', ['url', ...keyed], ['MISSING_ARG_URL', 'INVALID_APIKEY']),
  row('validate', ['x_login', 'x_apiKey', ...keyed], ['MISSING_ARG_X_LOGIN', 'MISSING_ARG_X_APIKEY']),
  row('shortlink_pro_domain', ['domain', ...keyed], ['MISSING_ARG_DOMAIN', 'INVALID_ARG_DOMAIN']),
  row('bitly_pro_domain', ['domain', ...keyed], ['MISSING_ARG_DOMAIN', 'INVALID_ARG_DOMAIN']),
  row('user/clicks', [...window, 'rollup'], ['INVALID_ARG_UNIT']),
  ...['countries', 'referrers', 'referring_domains'].map((name) =>
    row(
      `user/${name}`,
      [...window, 'days'],
      ['UNIT', 'DAYS', 'UNITS', 'LIMIT', 'TIMEZONE'].map((each) => `INVALID_ARG_${each}`),
    ),
  ),
  row('user/shorten_counts', [...window, 'rollup'], ['INVALID_ARG_UNIT', 'INVALID_ARG_ROLLUP']),
  row('user/share_counts', [...window, 'rollup'], ['INVALID_ARG_UNIT']),
  row('user/share_counts_by_share_type', window, ['INVALID_ARG_UNIT']),
  row('link/shares', ['link', ...window], [...noLink, 'FORBIDDEN', 'INVALID_ARG_UNIT']),
  row('link/encoders_by_count', ['link', 'limit', 'expand_user'], [...noLink, 'INVALID_ARG_LIMIT']),
  row('user/tracking_domain_list', [], []),
  ...['tracking_domain_clicks', 'tracking_domain_shorten_counts'].map((name) =>
    row(
      `user/${name}`,
      ['domain', ...window, 'rollup'],
      ['MISSING_ARG_DOMAIN', 'INVALID_ARG_DOMAIN', 'TRACKING_DOMAIN_NOT_REGISTERED', 'INVALID_ARG_UNIT'],
    ),
  ),
  row(
    'user/network_history',
    ['limit', 'offset', 'expand_user', 'expand_client_id'],
    ['LIMIT', 'OFFSET', 'EXPAND_USER', 'EXPAND_CLIENT_ID'].map((name) => `INVALID_ARG_${name}`),
  ),
  row(
    'user/save_custom_domain_keyword',
    ['keyword_link', 'target_link', 'overwrite'],
    [
      ...['MISSING_ARG_KEYWORD_LINK', 'MISSING_ARG_TARGET_LINK', 'INVALID_ARG_KEYWORD_LINK', 'INVALID_ARG_OVERWRITE'],
      ...['INVALID_ARG_DOMAIN', 'KEYWORD_UNAVAILABLE', 'UNPROCESSABLE_ENTITY', 'NOT_FOUND', 'FORBIDDEN'],
    ],
  ),
  row('user/popular_links', window, ['INVALID_ARG_LIMIT']),
  ...['popular_owned_by_clicks', 'popular_owned_by_shortens'].map((name) =>
    row(
      `user/${name}`,
      ['domain', ...window],
      ['INVALID_ARG_DOMAIN', 'INVALID_ARG_LIMIT', 'INVALID_ARG_UNIT', 'TRACKING_DOMAIN_NOT_REGISTERED'],
    ),
  ),
  row(
    'search',
    ['query', 'limit', 'offset', 'domain'],
    ['MISSING_ARG_QUERY', ...['QUERY', 'LIMIT', 'OFFSET', 'DOMAIN'].map((name) => `INVALID_ARG_${name}`)],
  ),
  row('nsq/stats', ['topic'], ['FORBIDDEN', 'INVALID_ARG_FORMAT']),
  {
    ...row('nsq/lookup', [], ['MISSING_ARG_TOPIC', 'INVALID_ARG_TOPIC', 'INVALID_ARG_FORMAT', 'FORBIDDEN']),
    parameters: ['access_token', 'topic', 'format'],
    statusWithoutToken: 403,
  },
]

function row(name: string, parameters: readonly string[], words: readonly string[]): LegacyOperation {
  const badToken = name.startsWith('user/') ? 'INVALID_ACCESS_TOKEN' : 'INVALID_ARG_ACCESS_TOKEN'
  return {
    path: `/v3/${name}`,
    parameters: ['access_token', 'format', 'callback', ...parameters],
    words: ['OK', 'MISSING_ARG_ACCESS_TOKEN', badToken, ...words],
  }
}

function report(name: string, parameters: readonly string[] = [], words: readonly string[] = []): LegacyOperation {
  return row(`link/${name}`, ['link', ...window, ...parameters], [...noLink, 'FORBIDDEN', ...badWindow, ...words])
}
