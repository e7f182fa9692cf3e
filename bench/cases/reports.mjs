// The effect of reports on redirects: a click log of a million clicks, and two clients that request one report after
// the other. For comparing builds; the case `metrics` has the goals.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { browser, measure } from '../load.mjs'
import { adminToken, startShortlink } from '../servers.mjs'
import { importFile, prepareImport } from './import.mjs'

const clients = 2
const facets = ['countries', 'cities', 'devices', 'referrers', 'referring_networks', 'clicks']

export async function open({ directory, build, say, seconds }) {
  const { home, file, ids } = await prepareImport({ directory, build, say })
  const dataDir = join(directory, 'data')
  cpSync(home, dataDir, { recursive: true })
  await importFile({ file, dataDir, build })
  const service = await startShortlink(dataDir, ['--domains', 'sho.rt'], build)
  const headers = { authorization: `Bearer ${adminToken}` }
  const { groups } = await (await fetch(`${service.url}/v4/groups`, { headers })).json()
  const [domain, backHalf] = ids[0].split('/')
  const redirects = { url: `${service.url}/${backHalf}`, seconds, headers: { ...browser, Host: domain } }

  const disturbed = async () => {
    let running = true
    let asked = 0
    const asking = Array.from({ length: clients }, async (_, client) => {
      for (let number = client; running; number++) {
        const report = `/v4/groups/${groups[0].guid}/${facets[number % facets.length]}?unit=day&units=30`
        const answer = await fetch(service.url + report, { headers })
        if (!answer.ok) throw new Error(`${report} answered ${answer.status}: ${await answer.text()}`)
        await answer.text()
        asked++
      }
    })
    const figures = await measure(service, redirects)
    running = false
    await Promise.all(asking)
    return { ...figures, asked }
  }
  return {
    tasks: { 'redirects alone': () => measure(service, redirects), 'redirects while reports run': disturbed },
    stop: service.stop,
  }
}
