// Sends bounded load to loopback with wrk, or with autocannon without wrk, and measures responses and their cost for
// the server.
import { spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
export const usualConnections = 64
/** The headers that Chrome sends for a link; fifteen with Host. */
export const browser = {
  connection: 'keep-alive',
  'cache-control': 'max-age=0',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'upgrade-insecure-requests': '1',
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  referer: 'https://www.google.com/search?q=shortlink',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9',
}
export const tool = spawnSync('wrk', ['-v']).error ? 'autocannon' : 'wrk'

/**
 * Load, and its processor time on the server in microseconds per response: `http` of the HTTP thread while it
 * answered, `whole` of the process until everything is counted. Both are missing on systems that do not report it.
 */
export async function measure(server, plan) {
  const before = server.processorTime()
  const answer = await load(plan)
  const loaded = server.processorTime()
  const drainSeconds = await server.drained?.()
  const after = server.processorTime()
  const perAnswer = (seconds) => (seconds * 1e6) / answer.answered
  return {
    ...answer,
    drainSeconds,
    ...(before && {
      http: perAnswer(loaded.mainThread - before.mainThread),
      whole: perAnswer(after.process - before.process),
    }),
  }
}

/**
 * `plan`: { url, seconds, headers, script, connections }; script is a Lua file of this folder with its arguments.
 * Returns { perSecond, answered, p99 }, p99 in milliseconds.
 */
export function load(plan) {
  return tool === 'wrk' ? loadWithWrk(plan) : loadWithAutocannon(plan)
}

/** Answers per second from the first to the last moment of the work, and the seconds and the result of it. */
export async function loadDuring(plan, work) {
  let running = true
  const began = performance.now()
  const working = work().finally(() => {
    running = false
  })
  const figures = []
  while (running) figures.push((await load({ ...plan, seconds: 1 })).perSecond)
  const result = await working
  // The last second is partly without it.
  const during = figures.length > 1 ? figures.slice(0, -1) : figures
  const perSecond = during.reduce((sum, figure) => sum + figure, 0) / during.length
  return { perSecond, seconds: (performance.now() - began) / 1000, result }
}

async function loadWithWrk({ url, seconds, headers = browser, script, connections = usualConnections }) {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency']
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`)
  if (script) args.push('-s', join(here, script.file))
  args.push(url)
  if (script) args.push('--', ...script.args)
  const output = await outputOf('wrk', args)
  const unexpected = /Non-2xx or 3xx responses: (\d+)/.exec(output)
  if (unexpected) throw new Error(`${unexpected[1]} unexpected answers from ${url}\n${output}`)
  const [, p99, unit] = /\s99%\s+([\d.]+)(us|ms|s)/.exec(output)
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    answered: Number(/(\d+) requests in/.exec(output)?.[1]),
    p99: p99 * { us: 0.001, ms: 1, s: 1000 }[unit],
  }
}

async function loadWithAutocannon({ url, seconds, headers = browser, script, connections = usualConnections }) {
  const { default: autocannon } = await import('autocannon')
  const result = await autocannon({ url, connections, duration: seconds, headers, ...(script?.autocannon ?? {}) })
  if (result.non2xx > result['3xx'])
    throw new Error(`unexpected answers from ${url}: ${JSON.stringify(result.statusCodeStats)}`)
  return { perSecond: result.requests.average, answered: result.requests.total, p99: result.latency.p99 }
}

function outputOf(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`))))
  })
}
