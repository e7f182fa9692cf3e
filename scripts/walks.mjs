// node scripts/walks.mjs [--functions]: the own source files that a reader walks through for one POST /v4/shorten and for
// one click: those with a function that runs, in a warm process, every time one comes (counted by V8 itself).
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Session } from 'node:inspector'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { readArguments } from './arguments.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist/')
const token = 'w'.repeat(40)
const repeats = 5
// A click is counted within a second; a walk is over when nothing of it can still be running.
const walkTakes = 2_000

if (process.env.WALKS_PROBE) probe()
else await main()

async function main() {
  const options = { functions: { type: 'boolean' } }
  const { values } = readArguments('node scripts/walks.mjs [--functions]', { options })
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-walks-'))
  const service = await startService(dataDir)
  try {
    const shorten = (number) =>
      service.ask('POST', '/v4/shorten', { long_url: `https://example.com/walks/${number}?utm_source=walks` })
    const { link } = await shorten('first')
    const visit = () => service.ask('GET', new URL(link).pathname)
    for (let number = 0; number < 500; number++) await Promise.all([shorten(number), visit()])
    await sleep(walkTakes)

    let number = 0
    print('one POST /v4/shorten', await walk(service, () => shorten(`walk-${number++}`)), values)
    print('one click', await walk(service, visit), values)
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The functions that ran in every repeat, and more often than timers run them anyway, by thread and file. */
async function walk(service, step) {
  const idle = []
  for (let repeat = 0; repeat < repeats; repeat++) idle.push(await callsDuring(service, async () => {}))
  const walks = []
  for (let repeat = 0; repeat < repeats; repeat++) walks.push(await callsDuring(service, step))
  const threads = {}
  for (const called of walks[0].keys()) {
    const anyway = Math.max(...idle.map((calls) => calls.get(called) ?? 0))
    if (walks.some((calls) => (calls.get(called) ?? 0) <= anyway)) continue
    const [thread, file, name] = called.split('\t')
    threads[thread] ??= {}
    threads[thread][file] ??= []
    threads[thread][file].push(name)
  }
  return threads
}

/** How often each function was called meanwhile. */
async function callsDuring(service, step) {
  await service.coverage()
  await step()
  await sleep(walkTakes)
  return new Map((await service.coverage()).flat())
}

function print(what, threads, { functions }) {
  const files = new Set(Object.values(threads).flatMap((each) => Object.keys(each)))
  console.log(`${what}: ${files.size} files`)
  for (const [thread, called] of Object.entries(threads)) {
    console.log(`  ${thread}: ${Object.keys(called).length}`)
    for (const file of Object.keys(called).sort()) {
      console.log(`    src/${file}${functions ? `  (${called[file].join(', ')})` : ''}`)
    }
  }
}

async function startService(dataDir) {
  const port = await freePort()
  const args = ['serve', '--port', String(port), '--data-dir', dataDir, '--log-level', 'warn']
  const child = fork(join(dist, 'main.js'), args, {
    execArgv: ['--import', fileURLToPath(import.meta.url)],
    env: { ...process.env, WALKS_PROBE: '1', SHORTLINK_ADMIN_TOKEN: token, SHORTLINK_TITLES: 'off' },
  })
  const ended = once(child, 'exit')
  // Clients of the API and visitors come on connections of their own.
  const agents = {
    POST: new Agent({ keepAlive: true, maxSockets: 1 }),
    GET: new Agent({ keepAlive: true, maxSockets: 1 }),
  }
  const ask = async (method, path, body) => {
    const agent = agents[method]
    const headers = body ? { authorization: `Bearer ${token}`, 'content-type': 'application/json' } : {}
    const asked = request({ port, path, method, agent, headers })
    asked.end(body && JSON.stringify(body))
    const [response] = await once(asked, 'response')
    return body ? json(response) : text(response)
  }
  while ((await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)) === undefined) {
    if (child.exitCode !== null) throw new Error('the service did not start')
    await sleep(100)
  }
  return {
    ask,
    /** What every thread ran since it was last asked. */
    async coverage() {
      child.send('coverage')
      return (await once(child, 'message'))[0]
    },
    async stop() {
      for (const agent of Object.values(agents)) agent.destroy()
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Runs inside every thread of the service. The main thread is asked by the parent process, and asks the others. */
function probe() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const channel = new BroadcastChannel('shortlink-walks')
  channel.unref()
  if (!isMainThread) {
    channel.onmessage = ({ data }) => {
      if (data === 'coverage') channel.postMessage(take(session, basename(process.argv[1], '.js')))
    }
    return
  }
  const answers = []
  channel.onmessage = ({ data }) => answers.push(data)
  process.on('message', async () => {
    answers.length = 0
    answers.push(take(session, 'HTTP thread'))
    channel.postMessage('coverage')
    await sleep(500)
    process.send(answers)
  })
  // Listening to the parent keeps no service alive that wants to end.
  process.channel?.unref()
}

/** The functions of own modules that ran since the last time, as ["thread file name", calls]. */
function take(session, thread) {
  const calls = []
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? fileURLToPath(url) : ''
      if (!file.startsWith(dist)) continue
      const source = file.slice(dist.length).replace(/\.js$/, '.ts')
      for (const { functionName, ranges } of functions) {
        const [{ count, startOffset }] = ranges
        if (count > 0) calls.push([`${thread}\t${source}\t${functionName || `at ${startOffset}`}`, count])
      }
    }
  })
  return calls
}
