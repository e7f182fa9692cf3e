/**
 * Every documented v4 operation with every status that is documented for it. docs/conformance.md is made of
 * this table and of what the API tests really got; a status that no test produces must say here why it cannot occur.
 */
export interface SpecifiedOperation {
  readonly area: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As it is documented: `{shortlink}` is two segments. */
  readonly path: string
  readonly statuses: readonly number[]
  /** Why some of the statuses cannot occur in this service. */
  readonly never?: Readonly<Record<number, string>>
  /** Spoken by forms and browsers, so not in the OpenAPI document. */
  readonly form?: true
}

/** Why a status cannot be produced by asking, wherever it is documented. */
export const neverByAsking: Readonly<Record<number, string>> = {
  500: 'A fault of the service; its shape is tested in test/api/errors.test.ts',
  502: 'No other service stands behind this one',
  503: 'Only while a store cannot be reached',
}

const hidden = {
  domain: 'What is no name of a domain, and the domain of another organization, are not found: 404',
  group: 'A group that does not exist looks like one that is not yours: 403',
  organization: 'An organization that does not exist looks like one that is not yours: 403',
  noBody: 'The request has no body',
  ofSite: 'It takes no arguments, and a guid that no site can have is not found: 404',
  user: 'A user who does not exist has no token: 403',
  webhook: 'A guid that no webhook can have is not found: 404',
}
const always = [500, 503]

const links: readonly SpecifiedOperation[] = [
  row('POST', '/v4/shorten', [200, 201, 400, 403, 409, 417, 422, 429]),
  row('POST', '/v4/shortlinks', [200, 201, 400, 402, 403, 404, 409, 417, 422, 429]),
  row('GET', '/v4/shortlinks/{shortlink}', [200, 403, 404, 410, 429]),
  row('PATCH', '/v4/shortlinks/{shortlink}', [200, 400, 402, 403, 404, 409, 410, 422, 429]),
  row('DELETE', '/v4/shortlinks/{shortlink}', [200, 400, 403, 404, 429]),
  row('POST', '/v4/expand', [200, 400, 404, 410, 422]),
].map(inArea('Short links'))

const keywords: readonly SpecifiedOperation[] = [
  row('POST', '/v4/custom_shortlinks', [200, 400, 402, 403, 404, 409, 422, 429]),
  row('PATCH', '/v4/custom_shortlinks/{custom_shortlink}', [200, 400, 402, 403, 404, 422, 429]),
  row('GET', '/v4/custom_shortlinks/{custom_shortlink}', [200, 402, 403, 404, 410, 429]),
  reports('/v4/custom_shortlinks/{custom_shortlink}/clicks_by_destination', [200, 402, 403, 404, 410, 429]),
  reports('/v4/custom_shortlinks/{custom_shortlink}/clicks', [200, 400, 402, 403, 404, 410, 429]),
  row('GET', '/v4/groups/{group_guid}/overrides', [200, 400, 403]),
  row('GET', '/v4/groups/{group_guid}/keyword_availability', [200, 400, 403]),
].map(inArea('Custom short links'))

const linkMetrics: readonly SpecifiedOperation[] = [
  row('GET', '/v4/shortlinks/{shortlink}/clicks', [200, 403, 404, 429]),
  row('GET', '/v4/shortlinks/{shortlink}/clicks/summary', [200, 403, 404, 429]),
  reports('/v4/shortlinks/{shortlink}/engagements', [200, 400, 403, 404, 410]),
  reports('/v4/shortlinks/{shortlink}/engagements/summary', [200, 400, 403, 404, 410]),
  reports('/v4/shortlinks/{shortlink}/countries', [200, 400, 403, 404, 410, 429]),
  reports('/v4/shortlinks/{shortlink}/cities', [200, 400, 402, 403, 404, 410, 429]),
  reports('/v4/shortlinks/{shortlink}/devices', [200, 400, 402, 403, 404, 410, 429]),
  reports('/v4/shortlinks/{shortlink}/referrers', [200, 400, 403, 404, 410, 429]),
  reports('/v4/shortlinks/{shortlink}/referrer_name', [200, 400, 403, 404, 410]),
  reports('/v4/shortlinks/{shortlink}/referring_domains', [200, 400, 403, 404, 410, 429]),
  reports('/v4/shortlinks/{shortlink}/referrers_by_domains', [200, 400, 403, 404, 410, 429]),
  row('GET', '/v4/shortlinks/{shortlink}/agentic_traffic', [200, 400, 402, 403, 404, 410, 429], {
    402: 'Every plan includes it',
  }),
].map(inArea('Short link metrics'))

const groups: readonly SpecifiedOperation[] = [
  row('GET', '/v4/groups', [200, 400, 403, 404, 422, 429], { 404: hidden.organization, 422: hidden.noBody }),
  row('GET', '/v4/groups/{group_guid}', [200, 403, 404, 429], { 404: hidden.group }),
  row('PATCH', '/v4/groups/{group_guid}', [200, 400, 403, 404, 422], { 404: hidden.group }),
  row('DELETE', '/v4/groups/{group_guid}', [204, 400, 403]),
  row('GET', '/v4/groups/{group_guid}/tags', [200, 400, 403, 404, 429], { 404: hidden.group }),
  row('GET', '/v4/groups/{group_guid}/preferences', [200, 403, 404], { 404: hidden.group }),
  row('PATCH', '/v4/groups/{group_guid}/preferences', [200, 400, 403, 404, 422, 429], { 404: hidden.group }),
  row('GET', '/v4/groups/{group_guid}/shortlinks', [200, 402, 403, 404]),
  row('PATCH', '/v4/groups/{group_guid}/shortlinks', [200, 400, 403, 404, 422]),
].map(inArea('Groups'))

const groupMetrics: readonly SpecifiedOperation[] = [
  reports('/v4/groups/{group_guid}/shorten_counts', [200, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/shortlinks/{sort}', [200, 400, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/engagements/sorted/top', [200, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/engagements/top', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/engagements/over_time', [200, 400, 402, 403]),
  reports('/v4/groups/{group_guid}/clicks', [200, 400, 402, 403, 429]),
  reports('/v4/groups/{group_guid}/countries', [200, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/cities', [200, 402, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/devices', [200, 402, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/referring_networks', [200, 403, 404]),
  reports('/v4/groups/{group_guid}/referrers', [200, 403, 404, 429]),
  reports('/v4/groups/{group_guid}/links/clicks/over_time', [200, 400, 402, 403]),
  reports('/v4/groups/{group_guid}/links/clicks/devices', [200, 400, 402, 403]),
  reports('/v4/groups/{group_guid}/links/clicks/referrers', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/links/clicks/countries', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/links/clicks/cities', [200, 400, 402, 403]),
  reports('/v4/groups/{group_guid}/links/clicks/top', [200, 400, 403]),
  row('POST', '/v4/groups/{group_guid}/links/clicks/series', [200, 400, 403, 422]),
  reports('/v4/groups/{group_guid}/codes/scans/over_time', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/codes/scans/countries', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/codes/scans/cities', [200, 400, 402, 403]),
  reports('/v4/groups/{group_guid}/codes/scans/top', [200, 400, 403]),
  reports('/v4/groups/{group_guid}/agentic_traffic/rollup', [200, 403, 429]),
].map(inArea('Group metrics'))

const webhooks: readonly SpecifiedOperation[] = [
  row('GET', '/v4/organizations/{organization_guid}/webhooks', [200, 402, 403, 404, 429], { 404: hidden.organization }),
  row('POST', '/v4/webhooks', [201, 400, 402, 403, 404, 409, 422, 429], { 404: hidden.organization }),
  row('GET', '/v4/webhooks/{webhook_guid}', [200, 400, 402, 403, 404, 429], { 400: hidden.webhook }),
  row('PATCH', '/v4/webhooks/{webhook_guid}', [200, 400, 402, 403, 404, 422, 429]),
  row('DELETE', '/v4/webhooks/{webhook_guid}', [204, 400, 402, 403, 404], { 400: hidden.webhook }),
  row('POST', '/v4/webhooks/{webhook_guid}/verify', [200, 400, 402, 403, 404]),
  row('POST', '/v4/webhooks/{webhook_guid}/rotate_secret', [200, 402, 403, 404]),
  row('GET', '/v4/webhooks/{webhook_guid}/deliveries', [200, 400, 402, 403, 404]),
  row('GET', '/v4/webhooks/{webhook_guid}/deliveries/{delivery_id}', [200, 402, 403, 404]),
  row('POST', '/v4/webhooks/{webhook_guid}/deliveries/{delivery_id}/redeliver', [202, 400, 402, 403, 404]),
  row('GET', '/v4/webhooks/{webhook_guid}/dead_letters', [200, 400, 402, 403, 404]),
  row('POST', '/v4/webhooks/{webhook_guid}/redeliver', [202, 400, 402, 403, 404, 422]),
].map(inArea('Webhooks'))

const campaigns: readonly SpecifiedOperation[] = [
  row('GET', '/v4/campaigns', [200, 400, 402, 403, 404, 502], { 404: hidden.group }),
  row('POST', '/v4/campaigns', [200, 400, 402, 403, 404, 409, 422, 429]),
  row('GET', '/v4/campaigns/{campaign_guid}', [200, 402, 403, 404, 429]),
  row('PATCH', '/v4/campaigns/{campaign_guid}', [200, 400, 402, 403, 404, 422, 429]),
  row('GET', '/v4/channels', [200, 402, 403, 404]),
  row('POST', '/v4/channels', [200, 400, 402, 403, 404, 409, 422, 429]),
  row('GET', '/v4/channels/{channel_guid}', [200, 402, 403, 404, 429]),
  row('PATCH', '/v4/channels/{channel_guid}', [200, 400, 402, 403, 404, 422, 429]),
  row('POST', '/v4/channels/{channel_guid}/shortlinks', [200, 400, 402, 403, 404, 409, 422, 429], {
    409: 'A link that the channel has already stays in it: 200',
  }),
].map(inArea('Campaigns and channels'))

const qrCodes: readonly SpecifiedOperation[] = [
  row('POST', '/v4/qr-codes', [201, 400, 402, 403, 404, 409, 410, 422, 429]),
  row('GET', '/v4/qr-codes/{qrcode_id}', [200, 400, 403, 404, 410], { 400: 'An id that cannot be one is not found' }),
  row('PATCH', '/v4/qr-codes/{qrcode_id}', [200, 400, 403, 404, 410]),
  row('DELETE', '/v4/qr-codes/{qrcode_id}', [200, 400, 403, 404, 410, 429]),
  row('PATCH', '/v4/qr-codes/{qrcode_id}/redirect', [200, 400, 402, 403, 404, 410, 422, 429], {
    402: 'Every plan with QR codes includes it',
  }),
  row('PUT', '/v4/qr-codes/{qrcode_id}/to-shortlink', [200, 400, 403, 404, 429], { 400: 'It takes no arguments' }),
  row('POST', '/v4/qr-codes/static', [200, 400, 403, 406, 422, 429]),
  row('POST', '/v4/qr-codes/preview', [200, 400, 403, 406, 413, 422]),
  row('GET', '/v4/qr-codes/{qrcode_id}/image', [200, 400, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans', [200, 400, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans/summary', [200, 400, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans/countries', [200, 400, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans/cities', [200, 400, 402, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans/device_os', [200, 400, 402, 403, 404, 410]),
  row('GET', '/v4/qr-codes/{qrcode_id}/scans/browsers', [200, 400, 402, 403, 404, 410]),
  row('GET', '/v4/groups/{group_guid}/qr-codes', [200, 403, 429]),
  row('PATCH', '/v4/groups/{group_guid}/qr-codes', [200, 400, 403, 404, 410, 422, 429]),
  row('GET', '/v4/shortlinks/{shortlink}/qr', [200, 400, 403, 404, 410]),
  row('POST', '/v4/shortlinks/{shortlink}/qr', [201, 400, 402, 403, 404, 409, 410, 422, 429]),
  row('PATCH', '/v4/shortlinks/{shortlink}/qr', [200, 400, 403, 404, 410, 422]),
].map(inArea('QR codes'))

const sites: readonly SpecifiedOperation[] = [
  row('POST', '/v4/sites', [201, 400, 402, 403, 422]),
  row('GET', '/v4/groups/{group_guid}/sites', [200, 400, 403]),
  row('GET', '/v4/sites/{site_id}', [200, 400, 403, 404]),
  row('PATCH', '/v4/sites/{site_id}', [200, 400, 403, 404, 422]),
  row('DELETE', '/v4/sites/{site_id}', [204, 400, 403, 404], { 400: hidden.ofSite }),
  row('DELETE', '/v4/sites/{site_id}/draft', [204, 400, 403, 404, 422], { 400: hidden.ofSite }),
  row('POST', '/v4/sites/{site_id}/publish', [201, 400, 403], { 400: hidden.ofSite }),
  row('POST', '/v4/sites/{site_id}/clone', [201, 400, 402, 403]),
  row('PUT', '/v4/sites/{site_id}/appearance', [204, 400, 403, 404]),
  row('POST', '/v4/sites/{site_id}/template', [200, 403, 404, 422]),
  row('GET', '/v4/site_templates', [200, 403, 404], { 404: 'A category that does not exist is a wrong argument: 400' }),
  row('POST', '/v4/sites/{site_id}/blocks', [201, 400, 403, 404]),
  row('PATCH', '/v4/sites/{site_id}/blocks/{block_id}', [200, 400, 403, 404, 422]),
  row('DELETE', '/v4/sites/{site_id}/blocks/{block_id}', [204, 400, 403, 404], { 400: hidden.ofSite }),
  row('POST', '/v4/sites/{site_id}/containers', [201, 400, 403, 404, 422]),
  row('POST', '/v4/sites/{site_id}/images', [201]),
  row('DELETE', '/v4/sites/{site_id}/redirects/{domain}/{keyword}', [204]),
  row('POST', '/v4/sites/{site_id}/buttons/youtubeVideo/prevalidate', [200, 400, 403, 422]),
].map(inArea('Sites'))

const siteMetrics: readonly SpecifiedOperation[] = [
  row('GET', '/v4/sites/{site_id}/views', [200, 403, 404]),
  row('GET', '/v4/sites/{site_id}/views/summary', [200, 403, 404]),
  row('GET', '/v4/sites/{site_id}/countries', [200, 400, 403, 404]),
  row('GET', '/v4/sites/{site_id}/cities', [200, 400, 402, 403, 404]),
  row('GET', '/v4/sites/{site_id}/devices', [200, 400, 402, 403, 404]),
  row('GET', '/v4/sites/{site_id}/referrers', [200, 400, 403, 404]),
  row('GET', '/v4/sites/{site_id}/link_performance', [200, 403, 404]),
  ...[
    ...['overview', 'views/over_time', 'views/countries', 'views/cities', 'views/devices', 'views/referrers'],
    ...['clicks/over_time', 'clicks/countries', 'clicks/cities', 'clicks/devices', 'clicks/top'],
    'digital_business_card_downloads/over_time',
  ].map((report) => row('GET', `/v4/aggregate/sites/${report}`, [200, 400, 403])),
].map(inArea('Site metrics'))

const accounts: readonly SpecifiedOperation[] = [
  row('GET', '/v4/organizations', [200, 403, 404], { 404: 'Whoever has no organization gets an empty list' }),
  row('GET', '/v4/organizations/{organization_guid}', [200, 403, 404], { 404: hidden.organization }),
  row('GET', '/v4/user', [200, 403, 404], { 404: hidden.user }),
  row('PATCH', '/v4/user', [200, 400, 403, 404, 422], { 404: hidden.user }),
  row('GET', '/v4/apps/{client_id}', [200, 403, 404]),
  row('GET', '/v4/bsds', [200, 400, 403]),
  reports('/v4/organizations/{organization_guid}/shorten_counts', [200, 403, 404]),
  reports('/v4/organizations/{organization_guid}/shorten_counts_by_group', [200, 403, 404]),
].map(inArea('Organizations, user, applications, domains'))

const customDomains: readonly SpecifiedOperation[] = [
  row('GET', '/v4/custom_domains', [200, 403, 429]),
  row('POST', '/v4/custom_domains', [200, 201, 202, 400, 403, 404, 409, 422, 429], { 404: hidden.organization }),
  row('GET', '/v4/custom_domains/{custom_domain}', [200, 400, 403, 404, 429], {
    400: hidden.domain,
    403: hidden.domain,
  }),
  row('PATCH', '/v4/custom_domains/{custom_domain}', [200, 400, 403, 404, 422, 429]),
  row('GET', '/v4/custom_domains/{custom_domain}/dns', [200, 400, 403, 429]),
].map(inArea('Custom domains'))

const limits: readonly SpecifiedOperation[] = [
  row('GET', '/v4/user/platform_limits', [200, 403, 404]),
  row('GET', '/v4/organizations/{organization_guid}/plan_limits', [200, 403]),
  row('GET', '/v4/groups/{group_guid}/feature_usage', [200, 400, 403, 429]),
  row('GET', '/v4/groups/{group_guid}/historical_usage', [200, 400, 403, 429]),
  row('POST', '/v4/groups/{group_guid}/exports', [200, 400, 402, 403, 422]),
].map(inArea('Limits, usage, exports'))

/** Their statuses are described in docs/oauth.md. */
const oauth: readonly SpecifiedOperation[] = [
  form('GET', '/oauth/authorize', [200, 302, 303, 400]),
  form('POST', '/oauth/authorize', [303, 400, 403]),
  form('POST', '/oauth/access_token', [200, 400, 401, 413, 415, 429]),
  form('POST', '/oauth/revoke', [200, 400, 401]),
  form('POST', '/oauth/register', [201, 400, 403, 413, 415, 429]),
  form('GET', '/.well-known/oauth-authorization-server', [200]),
  form('GET', '/.well-known/oauth-protected-resource', [200]),
].map(inArea('Authentication'))

/** Our addition. */
const bulk: readonly SpecifiedOperation[] = [row('POST', '/v4/bulk/shorten', [200, 400, 403, 413, 415, 422])].map(
  inArea('Many links at once'),
)

/** Our addition. */
const images: readonly SpecifiedOperation[] = [
  row('POST', '/v4/images', [201, 400, 403, 413, 415, 422]),
  row('GET', '/v4/images/{image_guid}', [200, 403, 404]),
  row('GET', '/v4/images/{image_guid}/file', [200, 304, 404]),
  row('DELETE', '/v4/images/{image_guid}', [204, 403, 404, 409]),
  row('GET', '/v4/groups/{group_guid}/images', [200, 400, 403]),
].map(inArea('Images'))

/** Our addition. */
const utmTemplates: readonly SpecifiedOperation[] = [
  row('GET', '/v4/groups/{group_guid}/utm_templates', [200, 403]),
  row('POST', '/v4/groups/{group_guid}/utm_templates', [201, 400, 403, 409, 422]),
  row('PATCH', '/v4/groups/{group_guid}/utm_templates/{template_guid}', [200, 400, 403, 404, 409, 422]),
  row('DELETE', '/v4/groups/{group_guid}/utm_templates/{template_guid}', [204, 403, 404]),
].map(inArea('UTM templates'))

/** Our addition. */
const liveUpdates: readonly SpecifiedOperation[] = [
  row('GET', '/v4/groups/{group_guid}/events', [200, 403, 429]),
  row('GET', '/v4/shortlinks/{shortlink}/events', [200, 403, 404, 410, 429]),
].map(inArea('Live updates'))

export const operations: readonly SpecifiedOperation[] = [
  ...oauth,
  ...links,
  ...keywords,
  ...linkMetrics,
  ...groups,
  ...groupMetrics,
  ...campaigns,
  ...webhooks,
  ...qrCodes,
  ...sites,
  ...siteMetrics,
  ...accounts,
  ...customDomains,
  ...limits,
  ...bulk,
  ...images,
  ...utmTemplates,
  ...liveUpdates,
]

const link = /\{(custom_)?shortlink\}/g

/** The operation that a request was for: of several whose path fits, the one with the fewest parameters. */
export function operationFor(method: string, path: string): SpecifiedOperation | undefined {
  const fitting = operations.filter((operation) => operation.method === method && patternOf(operation.path).test(path))
  return fitting.sort((one, other) => parameters(one.path) - parameters(other.path))[0]
}

/** A path without the names of its parameters, to compare these with those of the OpenAPI document. */
export function shapeOf(path: string): string {
  return path.replace(link, '{}/{}').replace(/\{\w+\}/g, '{}')
}

function patternOf(path: string): RegExp {
  // An encoded slash may only be the one within a link: else `a%2Fb/clicks` would be a link, too.
  const half = '(?:(?!%2[Ff])[^/])+'
  const source = path.replace(link, `${half}(?:/|%2[Ff])${half}`).replace(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}$`)
}

function parameters(path: string): number {
  return path.split('{').length
}

type Row = Omit<SpecifiedOperation, 'area'>

function row(method: Row['method'], path: string, statuses: readonly number[], never: Row['never'] = {}): Row {
  return { method, path, statuses: [...statuses, ...always], never }
}

function form(method: Row['method'], path: string, statuses: readonly number[]): Row {
  return { method, path, statuses, form: true }
}

/** A report of a group or an organization says 403 where another would say 404. */
function reports(path: string, statuses: readonly number[]): Row {
  const owner = path.startsWith('/v4/groups/') ? hidden.group : hidden.organization
  return row('GET', path, statuses, path.includes('shortlinks/{') && !path.endsWith('{sort}') ? {} : { 404: owner })
}

function inArea(area: string): (operation: Row) => SpecifiedOperation {
  return (operation) => ({ area, ...operation })
}
