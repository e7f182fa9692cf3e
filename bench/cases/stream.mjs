// The stream: how fast one consumer reads a backlog, the delay from redirect to consumer, and what a live consumer
// costs redirects, compared with a service without a stream. TLS and AUTH as by default.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { amount } from '../brief.mjs'
import { load, measure } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { adminToken, freePort, startShortlink } from '../servers.mjs'

const rate = amount(2000, 200)
const seconds = amount(10, 1)

export async function run({ directory, say }) {
  const port = await freePort()
  const service = await startShortlink(join(directory, 'with'), ['--nsqd-port', port])
  const without = await startShortlink(join(directory, 'without'))
  const caFile = join(service.dataDir, 'stream-ca.pem')
  await allow(service)
  const paths = {}
  for (const each of [service, without]) {
    const { link } = await each.shorten('https://example.com/landing?page=1')
    paths[each.url] = each.url + new URL(link).pathname
  }
  const rows = []

  say('a backlog')
  await load({ url: paths[service.url], seconds: amount(8, 1) })
  await service.drained()
  const backlog = (await service.figures())('shortlink_stream_depth{topic="clicks",')
  const reading = await startConsumer({ port, caFile, channel: 'bench' })
  await read(service)
  const { count, seconds: took } = await reading.report()
  const perSecond = count / took
  rows.push({
    what: `one consumer, 1000 in flight, reads a backlog of ${count}`,
    figure: perSecond,
    unit: 'messages/s',
    goal: '>= 30,000/s',
    met: perSecond >= 30_000 && count === backlog,
  })

  say(`${rate} clicks/s`)
  await visit(paths[service.url], 3) // warms the compiler up
  await read(service)
  await reading.report()
  await visit(paths[service.url], seconds)
  await read(service)
  const live = await reading.report()
  rows.push({ what: 'delay from redirect to consumer, median', figure: live.p50, unit: 'ms' })
  rows.push({
    what: `delay at ${rate} clicks/s, 99th percentile`,
    figure: live.p99,
    unit: 'ms',
    goal: '< 300 ms',
    met: live.p99 < 300,
  })
  rows.push({
    what: 'clicks read',
    figure: live.count,
    unit: 'clicks',
    goal: `all of ${rate * seconds}`,
    met: live.count === rate * seconds,
  })

  say('redirects with a live consumer and without a stream')
  const measureOne = async (each) => {
    const figures = await measure(each, { url: paths[each.url], seconds: amount(5, 1) })
    if (each === service) await read(service)
    return figures
  }
  await measureOne(without)
  const turns = await rounds(amount(5, 1), { without: () => measureOne(without), with: () => measureOne(service) }, say)
  const ratio = turns.ratio('with', 'without').figure
  rows.push({ what: 'redirects without a stream', ...turns.of('without'), unit: 'redirects/s' })
  rows.push({
    what: 'redirects with one live consumer',
    ...turns.of('with'),
    unit: 'redirects/s',
    ratio,
    goal: '>= 0.85 of without',
    met: ratio >= 0.85,
  })

  reading.stop()
  await Promise.all([service, without].map((each) => each.stop()))
  return rows
}

async function allow({ url }) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const { organizations } = await (await fetch(`${url}/v4/organizations`, { headers })).json()
  const path = `/v4/organizations/${organizations[0].guid}/stream_access`
  const { status } = await fetch(url + path, { method: 'PUT', headers })
  if (status !== 200) throw new Error(`access to the stream was answered with ${status}`)
}

async function visit(url, seconds) {
  await once(spawn(process.execPath, ['bench/stream-visitors.mjs', url, rate, seconds].map(String)), 'exit')
}

/** Waits until the consumer has finished all messages. */
async function read(service) {
  for (;;) {
    const figures = await service.figures()
    const left = ['depth', 'in_flight'].map((name) => figures(`shortlink_stream_${name}{topic="clicks",`))
    if (figures('shortlink_stream_backlog_rows') === 0 && left.every((count) => count === 0)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function startConsumer({ port, caFile, channel }) {
  const args = ['bench/stream-consumer.mjs', port, caFile, adminToken, 'clicks', channel, 1000]
  const child = spawn(process.execPath, args.map(String), { stdio: ['pipe', 'pipe', 'inherit'] })
  process.on('exit', () => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    async report() {
      child.stdin.write('report\n')
      return JSON.parse((await lines.next()).value)
    },
    stop: () => child.stdin.end(),
  }
}
