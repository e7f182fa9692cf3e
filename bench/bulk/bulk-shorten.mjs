// POST /v4/bulk/shorten with 500 new long URLs beside single calls of POST /v4/shorten at 64 connections.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { amount } from '../brief.mjs'
import { newLinksPlan } from '../cases/shorten.mjs'
import { measure } from '../load.mjs'
import { startPostgres } from '../postgres.mjs'
import { rounds } from '../rounds.mjs'
import { adminToken, ownBuild, startShortlink } from '../servers.mjs'

const rowsPerCall = 500

export async function open({ directory, build, seconds }) {
  const service = await startShortlink(directory, [], build)
  return { tasks: { 'bulk shorten': () => manyLinks(service, seconds) }, stop: service.stop }
}

export async function bulkShorten({ directory, say }) {
  const engines = { SQLite: { open: sqlite, goal: 20 }, PostgreSQL: { open: postgres, goal: 12 } }
  const rows = []
  for (const [name, { open, goal }] of Object.entries(engines)) {
    const service = await open(join(directory, name.toLowerCase()))
    if (service.skip) {
      say(`${name}: skipped, ${service.skip}`)
      continue
    }
    await manyLinks(service) // warms the compiler up
    const measured = await rounds(
      amount(5, 1),
      { single: () => measure(service, newLinksPlan(service.url)), bulk: () => manyLinks(service) },
      (text) => say(`${name}: ${text}`),
    )
    await service.stop()
    const ratio = measured.ratio('bulk', 'single').figure
    rows.push(
      {
        what: `bulk shorten, ${name}`,
        ...measured.of('bulk'),
        unit: 'links/s',
        ratio,
      },
      { what: `single calls, ${name}`, ...measured.of('single'), unit: 'links/s' },
    )
    for (const key of ['http', 'whole']) {
      if (!measured.has(key, 'bulk', 'single')) continue
      const words = { http: 'HTTP thread', whole: 'process' }[key]
      const used = measured.of('bulk', key)
      rows.push({
        what: `processor time of the ${words}, ${name}`,
        ...used,
        unit: 'us a link',
        ratio: measured.ratio('bulk', 'single', key).figure,
        ...(key === 'http' && { goal: `<= ${goal} us`, met: used.figure <= goal }),
      })
    }
  }
  return rows
}

let loads = 0

async function manyLinks(service, seconds = amount(5, 1)) {
  const mark = `bulk-${process.pid}-${loads++}`
  const row = (n) => `{"long_url":"https://example.com/${mark}/[<id>]/${n}?utm_source=bench"}`
  const body = `{"links":[${Array.from({ length: rowsPerCall }, (_, n) => row(n)).join(',')}]}`
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const autocannon = { method: 'POST', path: '/v4/bulk/shorten', body, headers, idReplacement: true }
  const script = { file: 'bulk.lua', args: [adminToken, mark], autocannon }
  // Few connections: when the load ends, rows of unanswered calls are still written, at the cost of the next round.
  const plan = { url: service.url, seconds, headers: {}, script, connections: 2 }
  const { perSecond, http, whole } = await measure(service, plan)
  const perLink = (time) => time && time / rowsPerCall
  return { perSecond: perSecond * rowsPerCall, http: perLink(http), whole: perLink(whole) }
}

function sqlite(directory) {
  return startShortlink(directory)
}

async function postgres(directory) {
  const server = await startPostgres()
  if (server.skip) return server
  const database = ['--database-url', server.url]
  spawnSync(process.execPath, [join(ownBuild, 'dist/main.js'), 'migrate', '--data-dir', directory, ...database])
  const service = await startShortlink(directory, database)
  return {
    ...service,
    async stop() {
      await service.stop()
      await server.stop()
    },
  }
}
