// Webhooks: how many events a second one receiver gets, one a request; what that costs redirects; and the delay to a
// receiver while another one hangs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { amount } from '../brief.mjs'
import { load, measure } from '../load.mjs'
import { rounds } from '../rounds.mjs'
import { adminToken, startShortlink, usedSince } from '../servers.mjs'
import { newLinksPlan } from './shorten.mjs'

const steady = { perSecond: 200, seconds: amount(10, 1) }

const humanClicks = 'shortlink_pipeline_clicks_total{nature="human"}'

const allow = ['--outgoing-allow', '127.0.0.0/8']

/** The processor time of a delivery, and of new links while a webhook delivers. */
export async function open({ directory, build, seconds }) {
  const service = await startShortlink(join(directory, 'data'), allow, build)
  const { link } = await service.shorten('https://example.com/landing?page=1')
  const visited = service.url + new URL(link).pathname
  const receiver = await startReceiver()
  await createWebhook(service, receiver)
  const deliver = async () => {
    const before = service.processorTime()
    await visit(visited, { perSecond: steady.perSecond, seconds })
    const { count, p99 } = await received(receiver, steady.perSecond * seconds)
    return { p99, ...usedSince(before, service, count) }
  }
  const shortenBeside = async () => {
    const visits = visit(visited, { perSecond: steady.perSecond, seconds })
    const measured = await measure(service, newLinksPlan(service.url, seconds))
    await visits
    await received(receiver, steady.perSecond * seconds)
    return measured
  }
  const stop = async () => {
    await service.stop()
    receiver.stop()
  }
  return { tasks: { 'a click and its delivery': deliver, 'POST /v4/shorten beside deliveries': shortenBeside }, stop }
}

export async function run({ directory, say }) {
  const service = await startShortlink(join(directory, 'with'), allow)
  const without = await startShortlink(join(directory, 'without'))
  const paths = {}
  for (const each of [service, without]) {
    const { link } = await each.shorten('https://example.com/landing?page=1')
    paths[each.url] = each.url + new URL(link).pathname
  }
  const receiver = await startReceiver()
  await createWebhook(service, receiver)
  const rows = []

  say('a backlog')
  await visit(paths[service.url], { perSecond: 500, seconds: 2 }) // warms the compiler up
  await received(receiver, 1000)
  const before = await service.figures()
  await load({ url: paths[service.url], seconds: 1 })
  await service.drained()
  const clicked = (await service.figures())(humanClicks) - before(humanClicks)
  // Nothing but deliveries from here on.
  const { count: already } = await receiver.report()
  const { count, seconds } = await received(receiver, clicked - already)
  rows.push(
    {
      what: `deliveries to one receiver, one a request, ${count} of them`,
      figure: count / seconds,
      unit: 'deliveries/s',
      goal: '>= 5,000/s',
      met: count / seconds >= 5000,
    },
    {
      what: 'deliveries of each click',
      figure: (already + count) / clicked,
      unit: '',
      goal: '1',
      met: already + count === clicked,
    },
  )

  say('a receiver that hangs')
  const hanging = await startReceiver('hang')
  await createWebhook(service, hanging)
  await visit(paths[service.url], steady)
  const { p50, p99 } = await received(receiver, steady.perSecond * steady.seconds)
  rows.push({ what: 'delay from redirect to receiver, while another hangs, median', figure: p50, unit: 'ms' })
  rows.push({
    what: `delay at ${steady.perSecond} clicks/s, while another hangs, 99th percentile`,
    figure: p99,
    unit: 'ms',
    goal: '<= 60 ms',
    met: p99 <= 60,
  })

  say('redirects with deliveries and without webhooks')
  const measureOne = (each) => measure(each, { url: paths[each.url], seconds: amount(5, 1) })
  await measureOne(without)
  await measureOne(service)
  const turns = await rounds(amount(5, 1), { without: () => measureOne(without), with: () => measureOne(service) }, say)
  const ratio = turns.ratio('with', 'without').figure
  rows.push({ what: 'redirects without webhooks', ...turns.of('without'), unit: 'redirects/s' })
  rows.push({
    what: 'redirects while a webhook delivers',
    ...turns.of('with'),
    unit: 'redirects/s',
    ratio,
    goal: '>= 0.85 of without',
    met: ratio >= 0.85,
  })

  for (const each of [receiver, hanging]) each.stop()
  await Promise.all([service, without].map((each) => each.stop()))
  return rows
}

async function createWebhook({ url }, { port }) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const { organizations } = await (await fetch(`${url}/v4/organizations`, { headers })).json()
  const body = {
    organization_guid: organizations[0].guid,
    name: 'Bench',
    event: 'engagement',
    url: `http://127.0.0.1:${port}/`,
  }
  const { status } = await fetch(`${url}/v4/webhooks`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (status !== 201) throw new Error(`creating a webhook was answered with ${status}`)
}

async function visit(url, { perSecond, seconds }) {
  const args = ['bench/stream-visitors.mjs', url, perSecond, seconds, 'timed'].map(String)
  await once(spawn(process.execPath, args), 'exit')
}

/** Waits until the receiver has this many. */
async function received(receiver, wanted) {
  let all = { count: 0, seconds: 0, p50: 0, p99: 0 }
  for (const deadline = Date.now() + 120_000; all.count < wanted && Date.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const some = await receiver.report()
    // The reports are half a second each; the slowest of them counts.
    all = {
      count: all.count + some.count,
      seconds: all.seconds + (some.count > 0 ? Math.max(some.seconds, 0.5) : 0),
      p50: Math.max(all.p50, some.p50),
      p99: Math.max(all.p99, some.p99),
    }
  }
  return all
}

async function startReceiver(...mode) {
  const child = spawn(process.execPath, ['bench/webhook-receiver.mjs', ...mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.on('exit', () => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { port } = JSON.parse((await lines.next()).value)
  return {
    port,
    async report() {
      child.stdin.write('report\n')
      return JSON.parse((await lines.next()).value)
    },
    stop: () => child.stdin.end(),
  }
}
