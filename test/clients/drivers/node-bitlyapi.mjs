// npm node-bitlyapi, a client of v3
import { createRequire } from 'node:module'
import { call, methodsOf, offers, world } from './calls.mjs'

const BitlyAPI = createRequire(world.installed)('node-bitlyapi')
const bitly = new BitlyAPI({ client_id: world.clientId, client_secret: world.clientSecret })
bitly.request_config.endpoint = world.url
bitly.setAccessToken(world.token)
const user = bitly.user()

// `get` sends each of the others; setAccessToken and user ask nothing.
const own = methodsOf(BitlyAPI.prototype).filter((name) => !['get', 'setAccessToken', 'user'].includes(name))
offers([...own, ...methodsOf(Object.getPrototypeOf(user)).map((name) => `user.${name}`)])

function tried(name, args, check = () => true) {
  const [target, method] = name.startsWith('user.') ? [user, name.slice(5)] : [bitly, name]
  const ask = () =>
    new Promise((resolve, reject) => {
      target[method](...args, (error, body) => (error ? reject(error) : resolve(body)))
    })
  return call(name, ask, (body) => {
    const answer = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body
    if (typeof answer !== 'object') return check(answer)
    if (![200, 304].includes(answer.status_code)) throw new Error(`${answer.status_code} ${answer.status_txt}`)
    return check(answer.data)
  })
}

const { link, hash, longUrl } = world
// The client prints its credentials here; the test reads lines that are JSON.
await tried('authenticate', [world.login, world.password], (token) => /^[0-9a-f]{40}$/.test(token))
await tried('shortenLink', [longUrl], (data) => data.url === link)
await tried('shorten', [{ longUrl }], (data) => data.hash === hash && data.new_hash === 0)
await tried('expand', [{ shortUrl: [link, link] }], (data) => data.expand[1].long_url === longUrl)
await tried('getLinkInfo', [{ hash, expand_user: true }], (data) => data.info[0].created_by === world.login)
await tried('linkLookup', [{ url: longUrl }], (data) => 'aggregate_link' in data.link_lookup[0])
await tried('userLookupLink', [{ url: longUrl }], (data) => data.link_lookup[0].link === link)
await tried('userSaveLink', [{ longUrl: 'https://example.com/saved' }], (data) => data.link_save.new_link === 1)
await tried(
  'userEditLink',
  [{ link, edit: 'title,note', title: 'T', note: 'n' }],
  (data) => data.link_edit.link === link,
)
await tried(
  'userSaveCustomDomainKeyword',
  [{ keyword_link: `${world.url}/kept-word`, target_link: link }],
  (data) => data.is_new === true,
)

const window = { unit: 'day', units: -1 }
await tried('getLinkFullInfo', [{ link }], (data) => data.original_url === longUrl)
await tried('getLinkClicks', [{ link, ...window, timezone: 'Europe/Berlin' }], (data) => data.link_clicks === 2)
await tried('getLinkCountries', [{ link }], (data) => data.countries[0].clicks === 2)
await tried('getLinkEncoders', [{ link }], (data) => data.entries[0].user === world.login)
await tried('getLinkEncodersByCount', [{ link }], (data) => data.entries[0].clicks === 2)
await tried('getLinkEncodersCount', [{ link }], (data) => data.count === 1)
await tried('getLinkReferrers', [{ link }], (data) => data.referrers.length === 1)
await tried('getLinkReferrersByDomain', [{ link }], (data) => Object.keys(data.referrers).length === 1)
await tried('getLinkReferringDomains', [{ link }], (data) => data.referring_domains[0].clicks === 2)
await tried('getLinkShares', [{ link }], (data) => data.total_shares === 0)
await tried('getAppInfo', [{ client_id: world.clientId }], (data) => data.client_id === world.clientId)
await tried('getBitlyProDomain', [{ domain: world.custom.split('/')[0] }], (data) => data.bitly_pro_domain === true)

const ofUser = [
  ['getUserLinkHistory', 'getLinkHistory', {}, (data) => data.link_history.length > 1],
  ['getUserNetworkHistory', 'getNetworkHistory', {}, (data) => Array.isArray(data.entries)],
  ['getUserTrackingDomains', 'getTrackingDomains', {}, (data) => data.tracking_domains.includes('example.com')],
  ['getUserClicks', 'getClicks', window, (data) => data.user_clicks === 2],
  ['getUserCountries', 'getCountries', window, (data) => data.countries[0].clicks === 2],
  ['getUserPopularLinks', 'getPopularLinks', window, (data) => data.popular_links[0].clicks === 2],
  ['getUserReferrers', 'getReferrers', window, (data) => data.referrers[0].clicks === 2],
  ['getUserReferringDomains', 'getReferringDomains', window, (data) => data.referring_domains[0].clicks === 2],
  ['getUserShareCounts', 'getShareCounts', window, (data) => data.share_counts === 0],
  ['getUserShareCountsByShareType', 'getShareCountsByShareType', window, () => true],
  ['getUserShortenCounts', 'getShortenCounts', window, (data) => data.user_shorten_counts > 1],
  ['getUserPopularEarnedByClicks', 'getPopularEarnedByClicks', {}, () => true],
  ['getUserPopularEarnedByShortens', 'getPopularEarnedByShortens', {}, () => true],
  [
    'getUserPopularOwnedByClicks',
    'getPopularOwnedByClicks',
    {},
    (data) => data.popular_owned_by_clicks[0].clicks === 2,
  ],
  [
    'getUserPopularOwnedByShortens',
    'getPopularOwnedByShortens',
    {},
    (data) => data.popular_owned_by_shortens.length > 1,
  ],
]
for (const [name, short, params, check] of ofUser) {
  await tried(name, [{ ...params }], check)
  await tried(`user.${short}`, [{ ...params }], check)
}
await tried('getUserInfo', [{}], (data) => data.login === world.login)
await tried('user.getInfo', [])
await tried('user.getBundles', [{}])
await tried('getTrackingDomainClicks', [{ domain: 'example.com' }], (data) => data.tracking_domain_clicks === 2)
await tried('getTrackingDomainShortens', [{ domain: 'example.com' }], (data) => data.tracking_domain_shorten_counts > 1)

await tried('search', [{ query: 'known' }], (data) => data.results[0].link === link)
for (const name of own.filter((each) => /Bundle|bundles|Realtime|Organization|Highvalue/.test(each))) {
  await tried(name, [{ query: 'example', link }])
}
for (const name of ['getLinkContent', 'getLinkCategory', 'getLinkSocial', 'getLinkLocation', 'getLinkLanguage']) {
  await tried(name, [{ link }])
}
