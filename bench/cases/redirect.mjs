// Redirects with all recording on, with the headers of a browser, beside a bare node:http 302 server and nginx: one
// hot link, then 100,000 links uniformly. Afterwards every redirect must be in the click log, and memory must be
// flat.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { load, measure, usualConnections } from '../load.mjs'
import { rounds, rowsAgainstBare, summary } from '../rounds.mjs'
import { startBare, startNginx, startShortlink } from '../servers.mjs'

const repeats = amount(5, 1)
const hotLink = 'one hot link'
const manyLinks = 'many links uniformly'

export async function open({ directory, build, say, seconds = 5, links = 5_000 }) {
  const service = await startShortlink(join(directory, 'data'), [], build)
  const { link } = await service.shorten('https://example.com/landing?page=1')
  const path = new URL(link).pathname
  const file = join(directory, 'paths.txt')
  const ids = await service.shortenMany(links)
  writeFileSync(file, ids.map((id) => id.slice(id.indexOf('/'))).join('\n'))
  say(`${ids.length} links made`)

  const seen = { answered: 0, runs: 0, drainSeconds: [] }
  const count = async (plan) => {
    const result = await measure(service, { seconds, ...plan })
    seen.answered += result.answered
    seen.runs++
    seen.drainSeconds.push(result.drainSeconds)
    return result
  }
  const uniformly = (...order) => ({
    url: service.url,
    script: { file: 'uniform.lua', args: [file, ...order], autocannon: { requests: [{ path }] } },
  })
  // Fills the cache: long enough to request every link once, at the rate of a cold cache.
  await count({ ...uniformly('in-order'), seconds: Math.max(amount(2, 1), links / 10_000) })
  return {
    service,
    seen,
    uniformly: uniformly(),
    tasks: { [hotLink]: () => count({ url: service.url + path }), [manyLinks]: () => count(uniformly()) },
    stop: service.stop,
  }
}

export async function run({ directory, say }) {
  const links = amount(100_000, 1000)
  const seconds = amount(5, 1)
  const { service, seen, uniformly, tasks } = await open({ directory, say, seconds, links })
  const bare = await startBare()
  const nginx = await startNginx(join(directory, 'nginx'))
  const rows = []
  const drained = () => ({
    what: 'backlog drained after each load',
    ...summary(seen.drainSeconds.splice(0)),
    unit: 's',
  })

  say(hotLink)
  await tasks[hotLink]() // warms the compiler up
  const baselines = {
    bare: () => measure(bare, { url: `${bare.url}/landing`, seconds }),
    ...(nginx && { nginx: () => load({ url: `${nginx.url}/landing`, seconds }) }),
  }
  seen.drainSeconds = []
  const hot = await rounds(repeats, { ...baselines, shortlink: tasks[hotLink] }, say)
  rows.push(...rowsAgainstBare(hotLink, 'redirects/s', hot, 1.5))
  rows.push({ what: 'bare node:http 302', ...hot.of('bare'), unit: 'answers/s' })
  if (nginx)
    rows.push({
      what: 'nginx return 302',
      ...hot.of('nginx'),
      unit: 'answers/s',
      ratio: hot.ratio('nginx', 'bare').figure,
    })
  rows.push(drained())

  say(manyLinks)
  // The baseline gets the same script, because choosing a path costs the load tool more than repeating one.
  const bareUniformly = () => measure(bare, { ...uniformly, url: bare.url, seconds })
  const uniform = await rounds(repeats, { bare: bareUniformly, shortlink: tasks[manyLinks] }, say)
  rows.push(...rowsAgainstBare(`${links} links uniformly`, 'redirects/s', uniform, 1.2), drained())

  const figures = await service.figures()
  const redirects = figures('shortlink_redirect_requests_total{outcome="redirects"}')
  const delivered = figures('shortlink_pipeline_clicks_total{nature="human"}')
  // The load tool disconnects with one request per connection in flight: answered and recorded, but not counted by
  // the tool.
  const exact =
    redirects === delivered && delivered >= seen.answered && delivered <= seen.answered + seen.runs * usualConnections
  rows.push({
    what: 'redirects answered and found in the click log',
    figure: delivered,
    unit: 'clicks',
    goal: `all of ${redirects}`,
    met: exact,
  })
  const megabytes = figures('process_resident_memory_bytes') / 2 ** 20
  rows.push({
    what: `memory after ${Math.round(delivered / 1e5) / 10} million clicks`,
    figure: megabytes,
    unit: 'MiB',
    goal: '< 600 MiB',
    met: megabytes < 600,
  })

  await Promise.all([service, bare, nginx].map((server) => server?.stop()))
  return rows
}
