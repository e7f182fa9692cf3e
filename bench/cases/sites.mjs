// Pages of sites with all recording on, beside a bare node:http server that answers the same bytes under the same headers:
// whole pages, then visits of browsers that know the page (304). Afterwards every view must be in the click log.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { browser, measure, usualConnections } from '../load.mjs'
import { rounds, rowsAgainstBare } from '../rounds.mjs'
import { startBare, startShortlink } from '../servers.mjs'

const repeats = amount(5, 1)
const seconds = amount(5, 1)

export async function run({ directory, say }) {
  mkdirSync(directory, { recursive: true })
  const service = await startShortlink(join(directory, 'data'))
  const url = service.url + (await makePage(service))
  const known = { ...browser, 'if-none-match': (await fetch(url)).headers.get('etag') }
  const plans = { 'whole pages': browser, 'pages that the browser knows': known }
  let answered = 0
  let runs = 0
  const rows = []
  for (const [what, headers] of Object.entries(plans)) {
    const bare = await startBare(
      await answerTo(url, headers, join(directory, `${Object.keys(plans).indexOf(what)}.json`)),
    )
    const visit = async () => {
      const result = await measure(service, { url, headers, seconds })
      answered += result.answered
      runs++
      return result
    }
    say(what)
    await visit() // warms the compiler up
    const measured = await rounds(
      repeats,
      { bare: () => measure(bare, { url: bare.url, headers, seconds }), shortlink: visit },
      say,
    )
    rows.push(...rowsAgainstBare(what, 'pages/s', measured, 0.8))
    await bare.stop()
  }
  const figures = await service.figures()
  const pages = figures('shortlink_redirect_requests_total{outcome="pages"}')
  const delivered = figures('shortlink_pipeline_clicks_total{nature="human"}')
  // The load tool disconnects with one request per connection in flight. Our own request is a view, too.
  const exact = pages - delivered <= 3 && delivered >= answered && delivered <= answered + runs * usualConnections
  rows.push({
    what: 'pages answered and found in the click log',
    figure: delivered,
    unit: 'views',
    goal: `all of ${pages}`,
    met: exact,
  })
  await service.stop()
  return rows
}

/** A page with ten links, a text and a business card. Answers its path. */
async function makePage(service) {
  const request = async (method, path, body) => {
    const response = await service.request(method, path, body)
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  const { groups } = await request('GET', '/v4/groups')
  const site = { group_guid: groups[0].guid, domain: service.domain, keyword: 'bench' }
  const { site_guid: guid, url } = await request('POST', '/v4/sites', site)
  await request('PATCH', `/v4/sites/${guid}`, {
    display_name: 'Mara Lindqvist',
    description: 'Photographer of cold places',
  })
  for (let at = 0; at < 10; at++) {
    const { id } = await service.shorten(`https://example.com/page/${at}`)
    const content = { shortlink_id: id, link_title: `The page with the number ${at}`, description: 'One of ten' }
    await request('POST', `/v4/sites/${guid}/blocks`, { type: 'shortlink', content })
  }
  const contacts = [{ contact_method: 'email', value: 'mara@example.com', sort_order: 0 }]
  const card = { first_name: 'Mara', last_name: 'Lindqvist', contacts, download_enabled: true, layout: 'card' }
  await request('POST', `/v4/sites/${guid}/blocks`, { type: 'digital_business_card', content: card })
  await request('POST', `/v4/sites/${guid}/publish`)
  return new URL(url).pathname
}

/** What the service answers, in a file for the bare server. */
async function answerTo(url, headers, file) {
  const { get } = await import('node:http')
  const response = await new Promise((resolve, reject) => get(url, { headers }, resolve).on('error', reject))
  const chunks = await response.toArray()
  const own = new Set(['date', 'connection', 'keep-alive'])
  const kept = Object.entries(response.headers).filter(([name]) => !own.has(name))
  const body = Buffer.concat(chunks).toString('base64')
  writeFileSync(file, JSON.stringify({ status: response.statusCode, headers: kept.flat(), body }))
  return file
}
