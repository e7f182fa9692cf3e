// POST /v4/shorten by one service and by two that share PostgreSQL and ClickHouse, with these and the load tool on the
// same cores.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { amount } from '../brief.mjs'
import { measure, usualConnections } from '../load.mjs'
import { startPostgres } from '../postgres.mjs'
import { rounds } from '../rounds.mjs'
import { ownBuild, startShortlink } from '../servers.mjs'
import { newLinksPlan } from './shorten.mjs'

export async function run({ directory, say }) {
  const server = await startPostgres()
  const clickhouse = await startClickhouse()
  const skip = server.skip ?? clickhouse.skip
  if (skip) {
    say(`skipped, ${skip}`)
    await Promise.all([server.stop?.(), clickhouse.stop?.()])
    return []
  }
  const database = ['--database-url', server.url, '--clickhouse-url', clickhouse.url]
  spawnSync(process.execPath, [join(ownBuild, 'dist/main.js'), 'migrate', '--database-url', server.url])
  const services = []
  for (const name of ['data-1', 'data-2']) services.push(await startShortlink(join(directory, name), database))
  for (const service of services) await newLinks([service]) // warms the compiler up
  const contestants = { 'one service': () => newLinks(services.slice(0, 1)), 'two services': () => newLinks(services) }
  const measured = await rounds(amount(5, 1), contestants, say)
  for (const service of services) await service.stop()
  await Promise.all([server.stop(), clickhouse.stop()])
  const ratio = (key) => measured.ratio('two services', 'one service', key).figure
  const rate = ratio('perSecond')
  return [
    { what: 'new links on PostgreSQL, one service', ...measured.of('one service'), unit: 'links/s' },
    {
      what: 'new links on PostgreSQL, two services',
      ...measured.of('two services'),
      unit: 'links/s',
      ratio: rate,
      goal: '>= 1.5 of one service',
      met: rate >= 1.5,
    },
    ...['one service', 'two services'].map((name) => ({
      what: `${name}: processor time of the processes`,
      ...measured.of(name, 'whole'),
      unit: 'us a link',
      ...(name === 'two services' && { ratio: ratio('whole') }),
    })),
  ]
}

/** The engine that the tests use. { url, stop }, or { skip } with the reason. */
async function startClickhouse() {
  const folder = join(ownBuild, 'test/clickhouse')
  if (!existsSync(join(folder, 'node_modules')))
    return { skip: 'the ClickHouse engine is not installed (npm test does)' }
  const child = spawn(process.execPath, [join(folder, 'server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const [port] = line.split(' ')
  return {
    url: `http://127.0.0.1:${port}/bench`,
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** All at once, with the usual number of connections in all. */
async function newLinks(services) {
  const connections = usualConnections / services.length
  const each = await Promise.all(
    services.map((service) => measure(service, { ...newLinksPlan(service.url), connections })),
  )
  const sum = (of) => each.reduce((total, one) => total + of(one), 0)
  const answered = sum((one) => one.answered)
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p99: Math.max(...each.map(({ p99 }) => p99)),
    whole: sum((one) => one.whole * one.answered) / answered,
  }
}
