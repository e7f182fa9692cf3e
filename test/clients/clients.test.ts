/** Published clients, unmodified, against this service: each call that they offer. docs/clients.md shows the result. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationFor } from '../conformance/operations.js'
import { legacyOperations } from '../conformance/v3-operations.js'
import { apiClients } from '../support/api-clients.js'
import { python2Program } from '../support/api-clients-for-all.js'
import { type Caddy, noCaddy, startCaddy } from '../support/caddy.js'
import { startApp } from '../support/start-app.js'
import { type Client, clients } from './clients.js'
import { pageWith, type Result, sectionOf } from './page.js'
import { type Recorder, startRecorder } from './recorder.js'
import { prepareWorld } from './world.js'

const page = 'docs/clients.md'
const apiHost = 'links.example.com'
const url = `https://${apiHost}`
const drivers = fileURLToPath(new URL('drivers', import.meta.url))
const installed = apiClients()

const title = noCaddy === undefined ? '' : ` (skipped: ${noCaddy})`

describe.skipIf(noCaddy !== undefined)(`clients of the public service${title}`, () => {
  let recorder: Recorder
  let caddy: Caddy
  let folder: string
  const results = new Map<Client, readonly Result[]>()
  beforeAll(async () => {
    recorder = await startRecorder()
    caddy = await startCaddy({ apiHost, upstream: `127.0.0.1:${recorder.port}` })
    folder = mkdtempSync(join(tmpdir(), 'shortlink-clients-'))
  })
  afterAll(async () => {
    if (process.env.UPDATE) writeFileSync(page, pageWith(clients, results, readFileSync(page, 'utf8')))
    await caddy?.close()
    recorder?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
    const at = installed[client.language]
    const runs = 'skip' in at ? it.skip : it

    runs(
      `passes every call that exists here${'skip' in at ? ` (skipped: ${at.skip})` : ''}`,
      async () => {
        const { offered, tried } = await run(client, 'folder' in at ? at.folder : '')
        const called = new Set(tried.map(({ call }) => call))
        expect(offered.length).toBeGreaterThan(0)
        expect(offered.filter((name) => !called.has(name))).toEqual([])
        results.set(client, tried)

        const failed = tried.filter(({ passed }) => !passed)
        expect(failed.filter((each) => each.reason === undefined)).toEqual([])
        // An operation that exists here has no excuse.
        expect(failed.filter(({ requests }) => requests.some(exists))).toEqual([])
        expect(tried.filter(({ passed, reason }) => passed && reason !== undefined)).toEqual([])
        if (!process.env.UPDATE) expect(sectionOf(readFileSync(page, 'utf8'), client)).toBe(pageSection(client, tried))
      },
      300_000,
    )
  })

  function pageSection(client: Client, tried: readonly Result[]): string {
    return sectionOf(pageWith([client], new Map([[client, tried]]), ''), client)
  }

  /** Runs the driver of a client against a service of its own. */
  async function run(client: Client, home: string): Promise<{ offered: readonly string[]; tried: readonly Result[] }> {
    const started = await startApp({
      baseUrl: url,
      domains: [apiHost],
      domainAliases: ['bit.ly'],
      linkWord: ['bitlink:bitly'],
      linkWordDefault: 'on',
      trustProxy: 1,
    })
    try {
      recorder.forwardTo(started.app.config.port)
      const ports = { httpsPort: caddy.httpsPort, httpPort: recorder.port }
      const world = await prepareWorld(started, { url, ...ports, calls: recorder.calls })
      const file = join(folder, 'world.json')
      writeFileSync(file, JSON.stringify({ ...world, installed: join(home, 'package.json') }))
      recorder.take()
      const lines = await linesOf(client, home, file)
      const requests = recorder.take()
      const offered = lines.flatMap((line) => line.offers ?? [])
      const tried = lines.flatMap(({ call, passed = false, said }): Result[] => {
        if (call === undefined) return []
        const made = (requests.get(call) ?? []).map((each) => ({ ...each, path: pathOf(each) }))
        // Some clients answer errors like successes; one sends another request after an error that it expects.
        const right = passed && (made.at(-1)?.status ?? 200) < 400
        const reason = client.failures.find(([calls]) => calls.test(call))?.[1]
        return [{ call, passed: right, said, reason, requests: made }]
      })
      return { offered, tried }
    } finally {
      await started.close()
    }
  }

  async function linesOf(client: Client, home: string, file: string): Promise<readonly Line[]> {
    const driver = join(drivers, client.driver)
    const [program, args, env] = commandOf(client, home)
    const child = spawn(program, [...args, driver, file], {
      cwd: drivers,
      env: { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
    expect([code, code === 0 ? '' : errors]).toEqual([0, ''])
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
  }

  function commandOf({ language }: Client, home: string) {
    const { authority } = caddy
    switch (language) {
      case 'node': {
        const preload = ['--import', join(drivers, 'names.mjs')]
        return [process.execPath, ['--no-deprecation', ...preload], { NODE_EXTRA_CA_CERTS: authority }] as const
      }
      case 'python':
        return [join(home, 'bin', 'python'), [], { SSL_CERT_FILE: authority, REQUESTS_CA_BUNDLE: authority }] as const
      case 'python2':
        return [python2Program(), [], { SSL_CERT_FILE: authority, PYTHONPATH: home }] as const
      case 'java': {
        const store = join(folder, 'trust.p12')
        const password = 'for-this-test'
        const args = ['-importcert', '-noprompt', '-alias', 'caddy', '-file', authority, '-keystore', store]
        spawnSync('keytool', [...args, '-storetype', 'PKCS12', '-storepass', password])
        const hosts = join(folder, 'hosts')
        writeFileSync(hosts, `127.0.0.1 ${apiHost}\n`)
        const trust = [`-Djavax.net.ssl.trustStore=${store}`, `-Djavax.net.ssl.trustStorePassword=${password}`]
        return ['java', [...trust, `-Djdk.net.hosts.file=${hosts}`, '-cp', join(home, 'lib', '*')], {}] as const
      }
    }
  }
})

interface Line {
  readonly offers?: readonly string[]
  readonly call?: string
  readonly passed?: boolean
  readonly said?: string
}

/** The documented path in the words of the client; else the path itself, without what differs from run to run. */
function pathOf({ method, path }: { method: string; path: string }): string {
  const known = operationFor(method, path.replaceAll('bitlink', 'shortlink'))
  if (known) return known.path.replaceAll('shortlink', 'bitlink')
  return path.replace(/(?<=\/)[A-Z]\w{10}(?=\/|$)/g, '{guid}').replace(/^\/\w{7}$/, '/{back-half}')
}

function exists({ method, path }: { method: string; path: string }): boolean {
  return (
    operationFor(method, path.replaceAll('bitlink', 'shortlink')) !== undefined ||
    legacyOperations.some((operation) => operation.path === path)
  )
}
