// Starts the measured servers, each on a free loopback port with its own temporary data, and stops them by process
// id.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { processorTime } from './processor-time.mjs'

export const adminToken = 'b'.repeat(40)
/** The folder whose `dist/` is measured by default. */
export const ownBuild = dirname(dirname(fileURLToPath(import.meta.url)))

/** Flags of Node that write a profile of each thread when the service ends. */
let profiling = []

export function profileTo(directory) {
  profiling = ['--cpu-prof', `--cpu-prof-dir=${directory}`]
}

export async function startShortlink(dataDir, extraFlags = [], build = ownBuild) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  // Limits are on but too high to be reached: 64 connections from one IP send all they can.
  const limits = ['--api-connections', 1000, '--api-requests-per-hour', 1e12, '--address-requests-per-hour', 1e12]
  const flags = ['--port', port, '--data-dir', dataDir, '--log-level', 'warn', ...limits, ...extraFlags]
  const process = run('node', [...profiling, join(build, 'dist/main.js'), 'serve', ...flags.map(String)], {
    SHORTLINK_ADMIN_TOKEN: adminToken,
    SHORTLINK_TITLES: 'off',
  })
  await answering(`${url}/healthz`, process)
  return { url, domain: `localhost:${port}`, dataDir, ...stoppable(process), ...asking(url) }
}

/** `file`: what it answers (bare-server.mjs); by default, a redirect. */
export async function startBare(file) {
  const port = await freePort()
  const process = run('node', ['bench/bare-server.mjs', String(port), ...(file === undefined ? [] : [file])])
  await answering(`http://127.0.0.1:${port}/`, process)
  return { url: `http://127.0.0.1:${port}`, ...stoppable(process) }
}

/** nginx with `return 302`, or undefined if it is not installed. */
export async function startNginx(directory) {
  if (spawnSync('nginx', ['-v']).error) return undefined
  const port = await freePort()
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
     events { worker_connections 1024; }
     http { access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory}; fastcgi_temp_path ${directory};
            uwsgi_temp_path ${directory}; scgi_temp_path ${directory}; keepalive_requests 100000000;
            server { listen 127.0.0.1:${port}; location / { return 302 https://example.com/landing?page=1; } } }`,
  )
  const process = run('nginx', ['-c', join(directory, 'nginx.conf'), '-p', directory])
  await answering(`http://127.0.0.1:${port}/`, process)
  return { url: `http://127.0.0.1:${port}`, ...stoppable(process) }
}

function run(command, args, environment = {}) {
  const child = spawn(command === 'node' ? process.execPath : command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

function stoppable(child) {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    processorTime: () => processorTime(child.pid),
    /** The process, and those that it started. */
    all: () => [child.pid, ...startedBy(child.pid)],
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Process ids; Linux only. */
function startedBy(pid) {
  if (process.platform !== 'linux') return []
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number)
}

/** Microseconds of processor time for each of so many events. */
export function usedSince(before, server, count) {
  const after = server.processorTime()
  const each = (name) => ((after[name] - before[name]) * 1e6) / count
  return before && { http: each('mainThread'), whole: each('process') }
}

/** Requests to the running service. */
function asking(url) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const figures = async () => {
    // Metrics are cached for a second: after that they are current.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const text = await (await fetch(`${url}/metrics`)).text()
    return (name) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  }
  return {
    figures,
    request: (method, path, body) =>
      fetch(url + path, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    async shorten(longUrl) {
      const body = JSON.stringify({ long_url: longUrl })
      const response = await fetch(`${url}/v4/shorten`, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': 'application/json' },
      })
      if (!response.ok) throw new Error(`shorten answered ${response.status}: ${await response.text()}`)
      return response.json()
    },
    /** Creates links through the API, which every build has. Returns their ids in any order. */
    async shortenMany(count) {
      // node:http, because fetch takes three times as long.
      const agent = new Agent({ keepAlive: true, maxSockets: 32 })
      const options = { agent, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      const ids = []
      let next = 0
      const client = async () => {
        while (next < count) {
          const asked = request(`${url}/v4/shorten`, options)
          asked.end(JSON.stringify({ long_url: `https://example.com/many/${next++}` }))
          const [response] = await once(asked, 'response')
          ids.push((await json(response)).id)
        }
      }
      await Promise.all(Array.from({ length: 32 }, client))
      agent.destroy()
      return ids
    },
    async clicksOf(id) {
      const response = await fetch(`${url}/v4/shortlinks/${id}/clicks/summary?unit=month&units=2`, { headers })
      return (await response.json()).total_clicks
    },
    /** Waits until every journal row is in the click log; answers the seconds it took. */
    async drained() {
      const started = performance.now()
      while ((await (await fetch(`${url}/readyz`)).json()).journal.backlogRows !== 0) {
        if (performance.now() - started > 300_000) throw new Error('the backlog was not drained within five minutes')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return (performance.now() - started) / 1000
    },
  }
}

async function answering(url, child) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server for ${url} ended with ${child.exitCode}`)
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing answered at ${url} within 30 seconds`)
}

export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
