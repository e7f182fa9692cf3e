// npm bitly
import { createRequire } from 'node:module'
import { call, methodsOf, offers, world } from './calls.mjs'

const { BitlyClient } = createRequire(world.installed)('bitly')
offers(methodsOf(BitlyClient.prototype))

const client = new BitlyClient(world.token, { apiUrl: 'links.example.com' })
const { link, id, longUrl } = world
const isLink = (answer) => answer.id === id && answer.long_url === longUrl && Array.isArray(answer.custom_bitlinks)
const clicksOf = (answer) => answer.link_clicks.reduce((sum, { clicks }) => sum + clicks, 0)
const hasRow = (answer) => answer.metrics.some(({ value, clicks }) => typeof value === 'string' && clicks === 2)

await call('shorten', () => client.shorten(longUrl), isLink)
await call('getBitlink', () => client.getBitlink(link), isLink)
await call('info', () => client.info(link), isLink)
await call(
  'expand',
  () => client.expand(link),
  (answer) => answer.long_url === longUrl,
)
await call(
  'clicks',
  () => client.clicks(link),
  (answer) => clicksOf(answer) === 2,
)
await call(
  'clicksByMinute',
  () => client.clicksByMinute(link),
  (answer) => answer.unit === 'minute',
)
await call(
  'clicksByDay',
  () => client.clicksByDay(link),
  (answer) => clicksOf(answer) === 2,
)
await call('lookup', () => client.lookup(longUrl))
await call('referrers', () => client.referrers(link), hasRow)
await call('countries', () => client.countries(link), hasRow)
await call(
  'bitlyRequest',
  () => client.bitlyRequest(`groups/${world.group}/bitlinks`, { size: 10 }, 'GET'),
  (answer) => answer.links.some((each) => each.id === id),
)
