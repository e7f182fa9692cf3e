import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { firstStart } from '../../src/core/administration/first-start.js'
import type { Closable } from '../../src/lib/closing.js'
import { type App, createApp, type Overrides } from '../../src/runtime/app.js'
import { startService } from '../../src/runtime/service.js'
import { copyRecordsTo, recordsForApi } from './api-records.js'
import { recordForConformance } from './conformance-record.js'
import { freePort } from './free-port.js'

export interface StartedApp {
  readonly url: string
  readonly domain: string
  readonly token: string
  readonly groupGuid: string
  readonly app: App
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Waits until every click answered so far is in the click log. */
  clicksCounted(): Promise<void>
  close(): Promise<void>
}

export interface RequestOptions {
  /** Sent as JSON unless it is a string or a Buffer, which go as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `null` sends no Authorization header; undefined sends the admin's token. */
  readonly token?: string | null
  /** False for requests that show nothing about an operation by themselves, such as random ones. */
  readonly isShown?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
  /** The parsed body when the answer is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** The whole app in this process, on a free port, with a temporary data directory and everything real. */
export async function startApp(config: Partial<Config> = {}, overrides: Overrides = {}): Promise<StartedApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-test-'))
  // A test that names its records itself, `undefined` for SQLite, means it.
  const database = 'databaseUrl' in config ? undefined : await recordsForApi()
  if ((database?.config ?? config).databaseUrl === undefined) await copyRecordsTo(dataDir)
  const port = config.port ?? (await freePort())
  const domain = `localhost:${port}`
  const token = 'a'.repeat(40)
  const app = await createApp(
    { ...defaults(port, dataDir), ...database?.config, ...config },
    pino({ level: 'silent' }),
    overrides,
  )
  const first = await firstStart(app, { login: 'admin', password: 'correct horse', token })
  const service = await startService(app)
  return {
    url: `http://127.0.0.1:${port}`,
    domain,
    token,
    groupGuid: first?.groupGuid ?? '',
    app,
    async request(method, path, options = {}) {
      const answer = await send(port, method, path, options, token)
      if (options.isShown !== false) recordForConformance(method, path, answer)
      return answer
    },
    clicksCounted: () => app.pipeline.drained(app.journal.status().lastRow),
    async close() {
      await service.close()
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
      await database?.remove()
    },
  }
}

/** An app for all tests of a file or a `describe`. */
export function useApp(config?: Partial<Config>, overrides?: Overrides): StartedApp {
  return useStarted(() => startApp(config, overrides))
}

/** Something for all tests of a file or a `describe`: empty until it is started before them; closed after them. */
export function useStarted<Started extends Closable>(start: () => Promise<Started>): Started {
  const started = {} as Started
  beforeAll(async () => void Object.assign(started, await start()))
  afterAll(() => started.close?.())
  return started
}

function defaults(port: number, dataDir: string): Config {
  return {
    host: '127.0.0.1',
    port,
    baseUrl: `http://localhost:${port}`,
    domains: [`localhost:${port}`],
    domainAliases: [],
    anyHost: true,
    dnsTargets: [],
    dnsServers: [],
    processes: 1,
    dataDir,
    databaseUrl: undefined,
    secretsKey: undefined,
    trustProxy: 0,
    durability: 'normal',
    clickRetention: undefined,
    linkHistoryDays: 730,
    memoryLimit: 256,
    clickhouseUrl: undefined,
    clickhouseCluster: undefined,
    clickhouseInsertQuorum: 0,
    missingAfter: 60,
    geography: [],
    titles: 'off',
    outgoingAllow: [],
    redirectCacheSize: 10_000,
    s3Url: undefined,
    redisUrl: undefined,
    nsqdPort: undefined,
    nsqdHost: '127.0.0.1',
    nsqdAddress: undefined,
    nsqdCertificate: undefined,
    nsqdKey: undefined,
    nsqdTls: 'required',
    nsqdTcpAddresses: [],
    nsqdHttpAddresses: [],
    nsqlookupdHttpAddresses: [],
    nsqdAuthSecret: undefined,
    nsqdBacklog: 1_000_000,
    apiRequestsPerHour: 1_000_000,
    addressRequestsPerHour: 1_000_000,
    endpointLimits: [],
    // Tests ask for much at once; those of the limit itself set it.
    apiConnections: 0,
    networkConnections: [],
    apiConnectionWait: 250,
    corsOrigins: [],
    linkWord: [],
    linkWordDefault: 'off',
    plans: undefined,
    defaultPlan: 'unlimited',
    smtpUrl: undefined,
    mailFrom: undefined,
    smsGatewayUrl: undefined,
    smsGatewaySecret: undefined,
    oauthRegistration: 'off',
    oauthClientDocuments: 'off',
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcScopes: 'openid profile email',
    oidcName: undefined,
    oidcLoginClaim: 'preferred_username',
    oidcGroupsClaim: 'groups',
    oidcAllowedGroups: [],
    oidcAdminGroup: undefined,
    oidcGroupRoles: [],
    oidcCreateUsers: 'on',
    oidcLink: 'never',
    oidcAutoRedirect: 'off',
    oidcEndTokens: 'off',
    oidcProviders: undefined,
    scimToken: undefined,
    scimIdClaim: 'sub',
    passwordLogin: 'on',
    opsPort: undefined,
    opsHost: '127.0.0.1',
    opsToken: undefined,
    backupTo: undefined,
    backupEvery: 86_400_000,
    backupAt: undefined,
    backupKeep: 14,
    backupPassphrase: undefined,
    otlpUrl: undefined,
    accessLog: undefined,
    accessLogIp: 'off',
    logLevel: 'silent',
    logFormat: 'json',
    adminLogin: undefined,
    adminPassword: undefined,
    adminToken: undefined,
    demo: 'off',
  }
}

/** node:http rather than fetch: tests need raw paths, odd headers and redirects that are not followed. */
function send(port: number, method: string, path: string, options: RequestOptions, token: string): Promise<Answer> {
  const raw = typeof options.body === 'string' || Buffer.isBuffer(options.body)
  const body = options.body === undefined || raw ? (options.body as string | Buffer) : JSON.stringify(options.body)
  const headers: Record<string, string> = {
    ...(options.token === null ? {} : { authorization: `Bearer ${options.token ?? token}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        const { 'content-type': type, 'content-encoding': encoding } = response.headers
        const json = type?.includes('json') && encoding === undefined
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          bytes,
          body: json && text !== '' ? withoutId(JSON.parse(text), response.headers) : undefined,
        })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** The id of the request must be the same in header and body. It differs in each answer, so tests compare the rest. */
function withoutId(body: unknown, headers: IncomingHttpHeaders): unknown {
  if (typeof body !== 'object' || body === null || !('request_id' in body)) return body
  const { request_id: id, ...rest } = body
  if (id !== headers['x-request-id']) throw new Error(`request_id is ${id}, X-Request-Id ${headers['x-request-id']}`)
  return rest
}
