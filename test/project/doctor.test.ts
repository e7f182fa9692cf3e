import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { examineService } from '../../src/commands/doctor/examine.js'
import type { Config } from '../../src/config/config.js'
import type { Finding } from '../../src/core/administration/finding.js'
import { markMoved } from '../../src/core/copies/moved-records.js'
import type { CertificateFinding } from '../../src/core/domains/certificate-check.js'
import { controlSocketPath } from '../../src/edges/control/client.js'
import { startControl } from '../../src/edges/control/server.js'
import type { Closable } from '../../src/lib/closing.js'
import { openDuckdbClickLog } from '../../src/storage/duckdb/click-log.js'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { freePort } from '../support/free-port.js'
import { startIdentityProvider } from '../support/identity-provider.js'
import { RedisServer, whyNoRedis } from '../support/redis-server.js'
import { runCommand } from '../support/run-command.js'
import { type StartedApp, startApp } from '../support/start-app.js'

function shortlink(env: Record<string, string>, ...args: string[]) {
  return runCommand(args, { env })
}

async function doctor(dataDir: string, env: Record<string, string> = {}) {
  const { code, out } = await shortlink({ SHORTLINK_DATA_DIR: dataDir, ...env }, 'doctor', '--json')
  const { worst, findings } = JSON.parse(out) as { worst: string; findings: Finding[] }
  return { code, worst, findings, of: (area: string) => findings.filter((finding) => finding.area === area) }
}

describe('doctor beside a running service', () => {
  let folder: string
  let dns: DnsServer
  let started: StartedApp
  let control: Closable
  let usual: Config
  let proxy: Server | undefined
  const certificates = new Map<string, CertificateFinding>()
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-doctor-'))
    dns = await startDnsServer(
      new Map([
        ['go.brand.example', { A: ['203.0.113.7'] }],
        ['old.brand.example', { A: ['198.51.100.1'] }],
        ['api.example.com', { A: ['203.0.113.7'] }],
        ['short.example.com', { A: ['203.0.113.7'] }],
        ['closed.example.com', { A: ['203.0.113.7'] }],
      ]),
    )
    started = await startApp(
      { dataDir: folder, databaseUrl: undefined, dnsServers: [dns.address], dnsTargets: ['203.0.113.7'] },
      {
        certificateLookup: { read: async (name) => certificates.get(name) ?? { outcome: 'failed', reason: 'refused' } },
      },
    )
    usual = { ...started.app.config }
    const examine = () => examineService(started.app)
    control = await startControl(controlSocketPath(folder), started.app, pino({ level: 'silent' }), { examine })
  })
  afterEach(async () => {
    Object.assign(started.app.config, usual)
    await new Promise((resolve) => (proxy ? proxy.close(resolve) : resolve(undefined)))
    proxy = undefined
  })
  afterAll(async () => {
    await control.close()
    await started.close()
    await dns.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** As if the service had been started with other options, of those that are only looked at. */
  function configured(config: Partial<Pick<Config, 'baseUrl' | 'domains' | 'host' | 'trustProxy'>>): void {
    Object.assign(started.app.config, config)
  }

  async function listen(server: Server): Promise<string> {
    proxy = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** A proxy in front of the service, with the headers that it sends on. */
  function startProxy(headers: (given: IncomingHttpHeaders) => IncomingHttpHeaders): Promise<string> {
    return listen(
      createServer((incoming, outgoing) => {
        const sent = request(started.url + incoming.url, { headers: headers(incoming.headers) }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500)
          answer.pipe(outgoing)
        })
        sent.end()
      }),
    )
  }

  it('finds a new service in order, and says so with exit status 0', async () => {
    const { code, findings, of } = await doctor(folder)
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([])
    expect(code).toBe(0)
    expect(of('base URL')).toEqual([
      { area: 'base URL', state: 'ok', message: `${usual.baseUrl} leads to this service.` },
    ])
    expect(of('proxies')).toMatchObject([{ state: 'ok', message: 'There is no proxy in between.' }])
    expect(of('service')).toMatchObject([{ state: 'ok' }])
    expect(of('migrations')).toMatchObject([{ state: 'ok' }])
    expect(of('engines')[0]?.message).toMatch(/^Node \S+, SQLite [\d.]+, DuckDB [\d.]+/)
  })

  it('prints a line for each finding, with what to do below', async () => {
    configured({ host: '0.0.0.0' })
    const { code, out } = await shortlink({ SHORTLINK_DATA_DIR: folder }, 'doctor')
    expect(code).toBe(0)
    expect(out).toMatch(/^ok +data directory +\S/m)
    expect(out).toMatch(/^warning +base URL +Other machines can reach the service, .*\n +-> Set --base-url/m)
  })

  it('notices a proxy that --trust-proxy does not count, and one that adds nothing', async () => {
    const baseUrl = await startProxy((given) => ({ ...given, 'x-forwarded-for': '203.0.113.7' }))
    configured({ baseUrl })
    expect((await doctor(folder)).of('proxies')).toMatchObject([{ state: 'warning', remedy: 'Set --trust-proxy 1.' }])
    configured({ trustProxy: 1 })
    expect((await doctor(folder)).of('proxies')).toMatchObject([{ state: 'ok' }])
    configured({ trustProxy: 2 })
    const { code, worst, of } = await doctor(folder)
    expect(of('proxies')).toMatchObject([{ state: 'wrong' }])
    expect({ code, worst }).toEqual({ code: 1, worst: 'wrong' })
  })

  it('notices a proxy that changes the Host header', async () => {
    configured({ baseUrl: await startProxy((given) => ({ ...given, host: 'upstream' })) })
    expect((await doctor(folder)).of('base URL')).toMatchObject([
      { state: 'wrong', message: expect.stringContaining('arrived with the Host header upstream') },
    ])
  })

  it('notices a base URL that leads nowhere, or elsewhere', async () => {
    configured({ baseUrl: `http://127.0.0.1:${await freePort()}` })
    expect((await doctor(folder)).of('base URL')).toMatchObject([
      { state: 'wrong', message: expect.stringContaining('ECONNREFUSED'), remedy: expect.stringContaining('proxy') },
    ])
    configured({ baseUrl: await listen(createServer((_, response) => response.end('hello'))) })
    expect((await doctor(folder)).of('base URL')).toMatchObject([
      { state: 'wrong', message: expect.stringContaining('did not arrive at this service') },
    ])
  })

  it('checks the certificates of names that lead somewhere, when the base URL has HTTPS', async () => {
    const days = (count: number) => Date.now() + count * 86_400_000
    const read = (name: string, validUntil: number, fault?: 'expired') =>
      certificates.set(name, { outcome: 'read', issuer: 'An authority', validUntil, names: [name], fault })
    read('api.example.com', days(60))
    read('short.example.com', days(-1), 'expired')
    configured({
      baseUrl: 'https://api.example.com',
      domains: ['short.example.com', 'closed.example.com', 'nowhere.example.com'],
    })
    expect((await doctor(folder)).of('certificates').map(({ state, message }) => `${state}: ${message}`)).toEqual([
      expect.stringMatching(/^wrong: short\.example\.com: The certificate expired on /),
      expect.stringMatching(/^wrong: closed\.example\.com: Nothing answers HTTPS/),
      expect.stringMatching(/^ok: api\.example\.com: HTTPS works/),
    ])
    read('api.example.com', days(3))
    expect((await doctor(folder)).of('certificates')).toContainEqual(
      expect.objectContaining({ state: 'warning', message: expect.stringContaining('api.example.com') }),
    )
  })

  it('checks the DNS of every short domain', async () => {
    const { domainStore } = started.app
    const guid = (await domainStore.organizationOf(started.groupGuid)) ?? ''
    for (const domain of ['go.brand.example', 'old.brand.example']) {
      await started.request('POST', `/v4/organizations/${guid}/domains`, { body: { domain } })
      await domainStore.prove(guid, domain, false)
    }
    configured({ baseUrl: 'http://links.example.com', domains: ['s.example.com'] })
    const { code, of } = await doctor(folder)
    expect(of('DNS').map(({ state, message }) => `${state}: ${message}`)).toEqual([
      'wrong: links.example.com has no address.',
      'wrong: s.example.com has no address.',
      expect.stringMatching(/^warning: old\.brand\.example /),
      'ok: go.brand.example points here: A 203.0.113.7.',
    ])
    expect(code).toBe(1)
  })
})

describe('doctor without a service', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-doctor-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('says what it could not check, and that a data directory is missing', async () => {
    const { code, of } = await doctor(join(folder, 'nowhere'))
    expect(code).toBe(1)
    expect(of('data directory')).toMatchObject([{ state: 'wrong' }])
    expect(of('service')).toMatchObject([{ state: 'warning', message: expect.stringContaining('No service runs on') }])
    expect(of('migrations')).toMatchObject([
      { state: 'wrong', message: expect.stringContaining('There is no data directory') },
    ])
  })

  it('checks the data directory of a service that was stopped', async () => {
    const started = await startApp({ dataDir: join(folder, 'data'), databaseUrl: undefined })
    await started.close()
    await (await openDuckdbClickLog(join(folder, 'data', 'clicks.duckdb'))).close()
    const { of } = await doctor(join(folder, 'data'))
    expect(of('migrations')).toMatchObject([{ state: 'ok' }])
    expect(of('DNS')).toMatchObject([{ state: 'ok' }])
    expect(of('click log')).toMatchObject([{ state: 'ok' }])
  })

  it('finds a click log that cannot be opened, as the service does', { timeout: 120_000 }, async () => {
    const dataDir = join(folder, 'damaged')
    await (await startApp({ dataDir, databaseUrl: undefined })).close()
    writeFileSync(join(dataDir, 'clicks.duckdb'), 'garbage'.repeat(10_000))
    rmSync(join(dataDir, 'clicks.closed.json'), { force: true })
    const damaged = { state: 'wrong', message: expect.stringContaining('"bin/shortlink repair clicks"') }
    const { code, of } = await doctor(dataDir)
    expect(of('click log')).toMatchObject([damaged])
    expect(code).toBe(1)
    const started = await startApp({ dataDir, databaseUrl: undefined })
    const findings = async () => (await examineService(started.app)).filter(({ area }) => area === 'click log')
    try {
      await expect.poll(findings).toMatchObject([damaged])
    } finally {
      await started.close()
    }
  })

  it('says that the records were moved away', async () => {
    const dataDir = join(folder, 'moved')
    const started = await startApp({ dataDir, databaseUrl: undefined })
    await markMoved(started.app, 'PostgreSQL at db.example')
    await started.close()
    expect((await doctor(dataDir)).of('records').filter(({ state }) => state !== 'ok')).toMatchObject([
      { state: 'wrong', message: 'They were moved to PostgreSQL at db.example.' },
    ])
  })

  it('does not advise to start a service that would refuse', async () => {
    const dataDir = join(folder, 'half')
    mkdirSync(join(dataDir, 'restore.unfinished'), { recursive: true })
    const { code, findings, of } = await doctor(dataDir)
    expect(code).toBe(1)
    expect(of('data directory')).toContainEqual(
      expect.objectContaining({ state: 'wrong', message: expect.stringContaining('did not finish') }),
    )
    expect(JSON.stringify(findings)).not.toContain('Start the service')
  })
})

describe('with an identity provider', () => {
  it('doctor and config --check name the URLs that are registered there', async () => {
    const provider = await startIdentityProvider()
    const folder = mkdtempSync(join(tmpdir(), 'shortlink-doctor-'))
    const env = {
      SHORTLINK_DATA_DIR: folder,
      SHORTLINK_BASE_URL: 'https://links.example.com',
      SHORTLINK_OIDC_ISSUER: provider.url,
      SHORTLINK_OIDC_CLIENT_ID: 'shortlink',
      SHORTLINK_OIDC_NAME: 'Example',
      SHORTLINK_SCIM_TOKEN: 'x'.repeat(40),
    }
    const { code, out } = await shortlink(env, 'config', '--check')
    expect([code, out]).toEqual([
      0,
      'Register this callback URL with Example: https://links.example.com/account/sign-in/with/oidc/callback\n' +
        'SCIM base URL of Example: https://links.example.com/scim/v2\nThe configuration is valid.',
    ])
    const messages = (await doctor(folder, env)).of('identity providers').map(({ message }) => message)
    expect(messages).toContain('SCIM base URL of Example: https://links.example.com/scim/v2')
    rmSync(folder, { recursive: true })
    await provider.close()
  })

  it('of several, both name the callback URL of each, also of one that does not answer', async () => {
    const staff = await startIdentityProvider('/realms/staff/')
    const folder = mkdtempSync(join(tmpdir(), 'shortlink-doctor-'))
    const file = join(folder, 'providers.json')
    const provider = (id: string, issuer: string) => ({ id, name: id.toUpperCase(), issuer, clientId: 'shortlink' })
    const away = `http://127.0.0.1:${await freePort()}`
    const all = [provider('staff', `${staff.url}/realms/staff`), provider('partners', away)]
    writeFileSync(file, JSON.stringify(all))
    const env = {
      SHORTLINK_DATA_DIR: folder,
      SHORTLINK_BASE_URL: 'https://links.example.com/',
      SHORTLINK_OIDC_PROVIDERS: file,
    }
    const callback = (id: string) => `https://links.example.com/account/sign-in/with/${id}/callback`
    const messages = (await doctor(folder, env)).of('identity providers').map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringContaining(`STAFF (${staff.url}/realms/staff/) answers. Callback URL: ${callback('staff')},`),
      expect.stringMatching(/^PARTNERS cannot be used: /),
    ])
    expect(messages[1]).toContain(`Callback URL: ${callback('partners')},`)
    const failed = await shortlink(env, 'config', '--check')
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining(callback('partners'))])

    writeFileSync(file, JSON.stringify(all.slice(0, 1)))
    const { code, out } = await shortlink(env, 'config', '--check')
    expect([code, out]).toEqual([0, expect.stringContaining(`with STAFF: ${callback('staff')}\n`)])
    rmSync(folder, { recursive: true })
    await staff.close()
  })
})

describe('config --check', () => {
  it('connects to every server that is named, and says which do not answer, without a password', async () => {
    const refused = `127.0.0.1:${await freePort()}`
    const { code, err } = await shortlink(
      {
        SHORTLINK_DATABASE_URL: `postgres://me:hunter2@${refused}/db`,
        SHORTLINK_CLICKHOUSE_URL: `http://me:hunter2@${refused}/db`,
        SHORTLINK_REDIS_URL: `redis://:hunter2@${refused}/0`,
        SHORTLINK_S3_URL: `http://key:hunter2@${refused}/bucket`,
        SHORTLINK_BACKUP_TO: `http://key:hunter2@${refused}/backups`,
        SHORTLINK_SMTP_URL: `smtp://me:hunter2@${refused}`,
        SHORTLINK_SMS_GATEWAY_URL: `http://${refused}/send`,
        SHORTLINK_OTLP_URL: `http://${refused}`,
        SHORTLINK_NSQD_TCP_ADDRESSES: refused,
        SHORTLINK_NSQD_HTTP_ADDRESSES: refused,
        SHORTLINK_NSQLOOKUPD_HTTP_ADDRESSES: refused,
      },
      'config',
      '--check',
    )
    expect(code).toBe(2)
    const options = ['databaseUrl', 'clickhouseUrl', 'redisUrl', 's3Url', 'backupTo', 'smtpUrl', 'smsGatewayUrl']
    for (const option of [...options, 'otlpUrl', 'nsqdTcpAddresses', 'nsqdHttpAddresses', 'nsqlookupdHttpAddresses']) {
      expect(err).toMatch(new RegExp(`^  - ${option}: .* at ${refused} cannot be used: .*ECONNREFUSED`, 'm'))
    }
    expect(err).not.toContain('hunter2')
  })

  it('refuses S3 stores that refuse the credentials', async () => {
    const store = createServer((_, response) => response.writeHead(403).end('<Code>InvalidAccessKeyId</Code>'))
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    const place = `127.0.0.1:${(store.address() as AddressInfo).port}`
    const { code, err } = await shortlink(
      {
        SHORTLINK_S3_URL: `http://key:hunter2@${place}/pictures`,
        SHORTLINK_BACKUP_TO: `http://key:hunter2@${place}/backups`,
      },
      'config',
      '--check',
    )
    store.close()
    expect(code).toBe(2)
    for (const option of ['s3Url', 'backupTo']) {
      expect(err).toContain(`${option}: S3 at ${place} cannot be used: The S3 store answered 403 InvalidAccessKeyId.`)
    }
    expect(err).not.toContain('hunter2')
  })

  it('does not wait forever for a server that is silent', { timeout: 120_000 }, async () => {
    const silent = createTcpServer((socket) => socket.resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `redis://127.0.0.1:${(silent.address() as AddressInfo).port}/0`
    const { code, err } = await shortlink({ SHORTLINK_REDIS_URL: url }, 'config', '--check')
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('redisUrl: Redis at') })
    await new Promise((resolve) => {
      silent.close(resolve)
    })
  })

  it.skipIf(whyNoRedis)(
    `is satisfied with servers that answer${whyNoRedis ? ` (skipped: ${whyNoRedis})` : ''}`,
    async () => {
      const server = await RedisServer.start()
      try {
        expect(await shortlink({ SHORTLINK_REDIS_URL: server.url }, 'config', '--check')).toEqual({
          code: 0,
          out: 'The configuration is valid.',
          err: '',
        })
      } finally {
        await server.stop()
      }
    },
  )
})
