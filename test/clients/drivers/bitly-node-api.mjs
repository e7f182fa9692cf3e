// npm bitly-node-api. It waits for each connection to be made, so connections must not be kept, which Node does since
// version 19: with any server that keeps them, the second request is never sent.
import https, { Agent } from 'node:https'
import { createRequire } from 'node:module'
import { call, offers, world } from './calls.mjs'

https.globalAgent = new Agent({ keepAlive: false })

const bitly = createRequire(world.installed)('bitly-node-api')(world.token)
bitly.setHost('links.example.com')
bitly.setApiKey(world.clientId, world.clientSecret)

const base = Object.getPrototypeOf(Object.getPrototypeOf(bitly.user))
const resources = Object.keys(bitly).filter(
  (name) => Object.getPrototypeOf(Object.getPrototypeOf(bitly[name])) === base,
)
offers(
  resources.flatMap((name) => {
    const prototype = Object.getPrototypeOf(bitly[name])
    return Object.keys(prototype).map((method) => `${name}.${method}`)
  }),
)

/** The client answers errors without `errors` like successes. */
const tried = (name, args, check) => {
  const [resource, method] = name.split('.')
  return call(
    name,
    () => bitly[resource][method](...args),
    (answer) => !('message' in answer && 'resource' in answer) && check(answer),
  )
}
const { group, organization, id, longUrl, branded, brandedOther, custom } = world
const window = { unit: 'day', units: 7 }
const always = () => true
const isFacet = (facet) => (answer) => answer.facet === facet && Array.isArray(answer.metrics)

const isLink = (answer) => answer.id === id && Array.isArray(answer.custom_bitlinks)
await tried('bitlinks.shortenLink', [{ long_url: longUrl, group_guid: group }], isLink)
const made = await tried(
  'bitlinks.create',
  [{ long_url: 'https://example.com/made', title: 'Made', tags: ['made'], deeplinks: [] }],
  (answer) => answer.title === 'Made' && answer.tags[0] === 'made',
)
await tried('bitlinks.get', [id], (answer) => isLink(answer) && answer.long_url === longUrl)
await tried('bitlinks.update', [id, { title: 'New title' }], (answer) => answer.title === 'New title')
await tried('bitlinks.createQR', [id, { color: '1133ff' }], always)
await tried('bitlinks.getQR', [id], (answer) => answer.link === world.link && answer.qr_code.startsWith('data:image/'))
await tried('bitlinks.updateQR', [id, { color: 'ff3311' }], always)
await tried('bitlinks.expand', [{ bitlink_id: id }], (answer) => answer.long_url === longUrl)
await tried(
  'bitlinks.getClicks',
  [id, window],
  (answer) => answer.link_clicks.length === 7 && answer.link_clicks[0].clicks === 2,
)
await tried('bitlinks.getClicksSummary', [id, window], (answer) => answer.total_clicks === 2)
await tried('bitlinks.getMetricsByCountry', [id, window], isFacet('countries'))
await tried('bitlinks.getMetricsByCity', [id, window], isFacet('cities'))
await tried('bitlinks.getMetricsByDeviceType', [id, window], isFacet('devices'))
await tried('bitlinks.getMetricsByReferrers', [id, window], isFacet('referrers'))
await tried('bitlinks.getMetricsByReferringDomain', [id, window], isFacet('referring_domains'))
await tried('bitlinks.getMetricsByReferrersDomain', [id, window], (answer) => Array.isArray(answer.referrers_by_domain))
await tried(
  'bitlinks.getByGroup',
  [group, { size: 1, page: 2, custom_bitlink: 'both' }],
  (answer) => answer.links.length === 1,
)
await tried(
  'bitlinks.bulkUpdate',
  [group, { action: 'edit_tags', links: [id], add_tags: ['bulk'] }],
  (answer) => answer.links[0] === id,
)
await tried(
  'bitlinks.listSortedForGroup',
  [group, 'clicks', window],
  (answer) => answer.sorted_links[0].id === id && answer.links[0].id === id,
)
await tried('bitlinks.delete', [made?.id], (answer) => answer.links_deleted[0].id === made.id)

const isCustom = (target) => (answer) =>
  answer.custom_bitlink.endsWith(custom) && answer.bitlink.id === target && answer.bitlink_history.length > 0
await tried('customBitlinks.add', [{ custom_bitlink: custom, bitlink_id: branded }], isCustom(branded))
await tried('customBitlinks.update', [custom, { bitlink_id: brandedOther }], isCustom(brandedOther))
await tried('customBitlinks.get', [custom], isCustom(brandedOther))
await tried('customBitlinks.getMetrics', [custom], always)
await tried('customBitlinks.getClicks', [custom, window], always)

const campaign = await tried(
  'campaigns.create',
  [{ group_guid: group, name: 'Spring', description: 'All of it' }],
  (answer) => answer.name === 'Spring',
)
await tried('campaigns.list', [{ group_guid: group }], (answer) => answer.campaigns[0].guid === campaign.guid)
await tried('campaigns.get', [campaign?.guid], (answer) => answer.guid === campaign.guid)
await tried('campaigns.update', [campaign?.guid, { name: 'Summer' }], (answer) => answer.name === 'Summer')
const channel = await tried(
  'campaigns.createChannel',
  [{ group_guid: group, name: 'Mail', bitlinks: [{ campaign_guid: campaign?.guid, bitlink_id: id }] }],
  (answer) => answer.name === 'Mail',
)
await tried('campaigns.listChannels', [{ group_guid: group }], (answer) => answer.channels[0].guid === channel.guid)
await tried('campaigns.getChannel', [channel?.guid], (answer) => answer.guid === channel.guid)
await tried('campaigns.updateChannel', [channel?.guid, { name: 'Post' }], (answer) => answer.name === 'Post')

await tried('groups.list', [{ organization_guid: organization }], (answer) => answer.groups[0].guid === group)
await tried('groups.update', [group, { name: 'Renamed' }], (answer) => answer.name === 'Renamed')
await tried('groups.get', [group], (answer) => answer.guid === group)
await tried('groups.listTags', [group], (answer) => answer.tags.includes('bulk'))
await tried('groups.getPreferences', [group], (answer) => answer.domain_preference === world.domain)
await tried(
  'groups.updatePreferences',
  [group, { group_guid: group, domain_preference: world.domain }],
  (answer) => answer.domain_preference === world.domain,
)
await tried('groups.getShortenCounts', [group, window], isFacet('shorten_counts'))
await tried('groups.getClickMetricsByCountry', [group, window], isFacet('countries'))
await tried('groups.getClickMetricsByCity', [group, window], isFacet('cities'))
await tried('groups.getClickMetricsByDeviceType', [group, window], isFacet('devices'))
await tried('groups.getClickMetricsByReferringNetworks', [group, window], isFacet('referring_networks'))
await tried('groups.getClicks', [group, window], always)
await tried('groups.getQR', [group], always)

await tried('organizations.list', [], (answer) => answer.organizations[0].guid === organization)
await tried('organizations.get', [organization], (answer) => answer.guid === organization)
await tried('organizations.getShortenCounts', [organization, window], isFacet('shorten_counts'))
await tried('organizations.getPlanLimits', [organization], (answer) => Array.isArray(answer.plan_limits))

await tried('user.get', [], (answer) => answer.login === world.login)
await tried('user.update', [{ name: 'Ada' }], (answer) => answer.name === 'Ada')
await tried('user.getPlatformLimits', [{ path: '/shorten' }], (answer) => Array.isArray(answer.platform_limits))

await tried('bsds.list', [], (answer) => answer.bsds.includes(custom.split('/')[0]))
await tried('bsds.getGroupOverrides', [group, { limit: 10 }], always)

const webhook = await tried(
  'webhooks.create',
  [{ organization_guid: organization, name: 'Hook', event: 'engagement', url: world.hook }],
  (answer) => answer.name === 'Hook',
)
await tried('webhooks.list', [organization], (answer) => answer.webhooks[0].guid === webhook.guid)
await tried('webhooks.get', [webhook?.guid], (answer) => answer.guid === webhook.guid)
await tried(
  'webhooks.update',
  [webhook?.guid, { guid: webhook?.guid, name: 'Other' }],
  (answer) => answer.name === 'Other',
)
await tried('webhooks.verify', [webhook?.guid], always)
await tried('webhooks.delete', [webhook?.guid], always)

await tried('application.getOAuthToken', [{ username: world.login, password: world.password }], (answer) =>
  /^[0-9a-f]{40}$/.test(answer.access_token),
)
await tried('application.getOAuthApp', [world.clientId], (answer) => answer.client_id === world.clientId)
