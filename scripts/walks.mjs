// node scripts/walks.mjs [--functions]: our source files with a function that runs for every POST /v4/shorten, and for every
// click, in a warm process (V8 coverage). Marks the files that ARCHITECTURE.md explains, "Two walks". Fails when a walk has
// more files than it may have.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { readArguments } from './arguments.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = pathToFileURL(join(root, 'dist/'))
const sources = pathToFileURL(join(root, 'src/'))
const token = 'w'.repeat(40)
const repeats = 5
// Clicks and usage are written within a second, so nothing of a walk runs after two.
const walkTakes = 2_000
/** The heading of each walk in ARCHITECTURE.md, and the most files that it may run and name. */
const shortenWalk = { heading: 'One `POST /v4/shorten`', maxRun: 33, maxNamed: 12 }
const clickWalk = { heading: 'One click', maxRun: 23, maxNamed: 10 }
/** By file of dist/. */
const sourcesOf = new Map()

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
    const shortened = await walk(service, () => shorten(`walk-${number++}`))
    const fits = [print(shortenWalk, shortened, values), print(clickWalk, await walk(service, visit), values)]
    if (fits.includes(false)) process.exitCode = 1
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The functions that ran in every repeat, and more often than timers alone run them, by thread and file. */
async function walk(service, step) {
  const idle = []
  const walks = []
  // In turns: on a busy machine, timers run more often in some windows than in others.
  for (let repeat = 0; repeat < repeats; repeat++) {
    idle.push(await callsDuring(service, async () => {}))
    // Caches for ten seconds, such as that of tokens, stay warm.
    await step()
    await sleep(walkTakes)
    walks.push(await callsDuring(service, step))
  }
  idle.push(await callsDuring(service, async () => {}))
  const threads = {}
  for (const called of walks[0].keys()) {
    const anyway = Math.max(...idle.map((calls) => calls.get(called) ?? 0))
    if (walks.some((calls) => (calls.get(called) ?? 0) <= anyway)) continue
    const [thread, url, offset, name] = called.split('\t')
    const file = sourceOf(url, offset)
    if (file === undefined) continue
    threads[thread] ??= {}
    threads[thread][file] ??= []
    threads[thread][file].push(name || `at ${offset}`)
  }
  return threads
}

/** How often each function was called during the step. */
async function callsDuring(service, step) {
  await service.coverage()
  await step()
  await sleep(walkTakes)
  return new Map((await service.coverage()).flat())
}

/** Returns false when the walk runs or names too many files. */
function print({ heading, maxRun, maxNamed }, threads, { functions }) {
  const run = new Set(Object.values(threads).flatMap((each) => Object.keys(each)))
  const named = filesNamed(heading)
  console.log(
    `${heading}: ${run.size} files run (at most ${maxRun}), a reader needs ${named.size} (at most ${maxNamed})`,
  )
  for (const [thread, called] of Object.entries(threads)) {
    console.log(`  ${thread}: ${Object.keys(called).length}`)
    for (const file of Object.keys(called).sort()) {
      console.log(`  ${named.has(file) ? '*' : ' '} src/${file}${functions ? `  (${called[file].join(', ')})` : ''}`)
    }
  }
  const others = [...named].filter((file) => !run.has(file))
  if (others.length > 0) console.log(`  * of other cases: ${others.map((file) => `src/${file}`).join(', ')}`)
  return run.size <= maxRun && named.size <= maxNamed
}

/** The files that ARCHITECTURE.md names in a walk. */
function filesNamed(heading) {
  const [, rest = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(`**${heading}**`)
  const [section] = rest.split(/^(?:\*\*|## )/m)
  return new Set([...section.matchAll(/`([\w/-]+\/[\w-]+\.ts)`/g)].map(([, file]) => file))
}

async function startService(dataDir) {
  const port = await freePort()
  const args = ['serve', '--port', String(port), '--data-dir', dataDir, '--log-level', 'warn']
  const child = fork(join(root, 'dist/main.js'), args, {
    execArgv: ['--import', fileURLToPath(import.meta.url)],
    env: { ...process.env, WALKS_PROBE: '1', SHORTLINK_ADMIN_TOKEN: token, SHORTLINK_TITLES: 'off' },
  })
  const ended = once(child, 'exit')
  // API clients and visitors use different connections.
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
    /** The calls in every thread since the last call. */
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

/** Runs in every thread of the service. The parent process asks the main thread, which asks the others. */
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
  // Must not keep the service alive when it shuts down.
  process.channel?.unref()
}

/** The functions of the program that ran since the last call, as ["thread url offset name", calls]. */
function take(session, thread) {
  const calls = []
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    for (const { url, functions } of result) {
      if (!url.startsWith(dist.href)) continue
      for (const { functionName, ranges } of functions) {
        const [{ count, startOffset }] = ranges
        if (count > 0) calls.push([[thread, url, startOffset, functionName].join('\t'), count])
      }
    }
  })
  return calls
}

/** The file of src/ that a place in a file of dist/ was made of; undefined for places of packages. */
function sourceOf(url, offset) {
  if (!sourcesOf.has(url)) sourcesOf.set(url, readSources(url))
  return sourcesOf.get(url)(Number(offset))
}

function readSources(url) {
  const file = fileURLToPath(url)
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  const text = readFileSync(file, 'utf8')
  return (offset) => {
    const lines = text.slice(0, offset).split('\n')
    const { originalSource } = map.findEntry(lines.length - 1, lines.at(-1).length)
    const source = originalSource && new URL(originalSource, url).href
    return source?.startsWith(sources.href) ? source.slice(sources.href.length) : undefined
  }
}
