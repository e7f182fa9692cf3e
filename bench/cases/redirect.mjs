// Redirects with all recording on, beside a bare node:http 302 server and nginx: one hot link, then 100,000 links
// uniformly. Afterwards every answered redirect must stand in the click log, and memory must have stayed flat.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHash } from '../../dist/core/links/address.js'
import { openSqlite } from '../../dist/storage/sql/sqlite.js'
import { connections, load } from '../load.mjs'
import { against, median, rounds } from '../rounds.mjs'
import { startBare, startNginx, startShortlink } from '../servers.mjs'

const links = 100_000
const seconds = 5
const repeats = 5

export async function redirect({ directory, say }) {
  const service = await startShortlink(join(directory, 'data'))
  const bare = await startBare()
  const nginx = await startNginx(join(directory, 'nginx'))
  const rows = []
  let answered = 0
  let runs = 0
  let drainSeconds = []
  const count = async (plan) => {
    const result = await load({ seconds, ...plan })
    answered += result.answered
    runs++
    // What is still being counted would slow the next contestant down.
    drainSeconds.push(await service.drained())
    return result.perSecond
  }
  const baselines = {
    bare: async () => (await load({ url: `${bare.url}/landing`, seconds })).perSecond,
    ...(nginx && { nginx: async () => (await load({ url: `${nginx.url}/landing`, seconds })).perSecond }),
  }

  const { link } = await service.shorten('https://example.com/landing?page=1')
  const path = new URL(link).pathname
  say('one hot link')
  await count({ url: service.url + path, seconds: 2 }) // warms the compiler up
  const hot = await rounds(repeats, { ...baselines, shortlink: () => count({ url: service.url + path }) }, say)
  rows.push(against('one hot link', hot.median('shortlink'), 'redirects/s', hot.ratio('shortlink', 'bare'), 0.85))
  rows.push({ what: 'bare node:http 302', figure: hot.median('bare'), unit: 'answers/s' })
  if (nginx)
    rows.push({
      what: 'nginx return 302',
      figure: hot.median('nginx'),
      unit: 'answers/s',
      ratio: hot.ratio('nginx', 'bare'),
    })
  rows.push({ what: 'backlog drained after each load', figure: median(drainSeconds), unit: 's' })
  drainSeconds = []

  say(`${links} links uniformly`)
  const paths = join(directory, 'paths.txt')
  writeFileSync(paths, await seed(service, say))
  const uniformly = {
    url: service.url,
    script: { file: 'uniform.lua', args: [paths], autocannon: { requests: [{ path }] } },
  }
  // Fills the table: long enough to ask for every link once, at a rate a cold one reaches.
  const inOrder = { ...uniformly.script, args: [paths, 'in-order'] }
  await count({ ...uniformly, script: inOrder, seconds: 10 })
  // The baseline gets the same script: choosing a path costs the load tool more than repeating one.
  const bareUniformly = async () => (await load({ ...uniformly, url: bare.url, seconds })).perSecond
  const uniform = await rounds(repeats, { bare: bareUniformly, shortlink: () => count(uniformly) }, say)
  rows.push(
    against(
      `${links} links uniformly`,
      uniform.median('shortlink'),
      'redirects/s',
      uniform.ratio('shortlink', 'bare'),
      0.75,
    ),
  )
  rows.push({ what: 'backlog drained after each load', figure: median(drainSeconds), unit: 's' })

  const figures = await service.figures()
  const redirects = figures('shortlink_redirect_requests_total{outcome="redirects"}')
  const delivered = figures('shortlink_pipeline_clicks_total{nature="human"}')
  // The load tool hangs up with one request a connection still on its way: answered, recorded, but not seen by it.
  const exact = redirects === delivered && delivered >= answered && delivered <= answered + runs * connections
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

/** Writes links straight through the store, beside the running service, and answers their paths, one a line. */
async function seed(service, say) {
  mkdirSync(service.dataDir, { recursive: true })
  const records = await openSqlite(join(service.dataDir, 'records.sqlite'))
  const groupGuid = await records.accounts.firstGroup()
  const paths = []
  for (let at = 0; at < links; at += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => ({
      groupGuid,
      organizationGuid: 'Obench',
      domain: service.domain,
      longUrl: `https://example.com/uniform/${at + index}`,
      createdBy: 'bench',
      clientId: undefined,
      at: Date.now(),
    }))
    const made = await Promise.all(batch.map((draft) => records.links.findOrInsert(draft, randomHash)))
    for (const { link } of made) paths.push(`/${link.hash}`)
  }
  await records.close()
  say(`${paths.length} links made`)
  return paths.join('\n')
}
