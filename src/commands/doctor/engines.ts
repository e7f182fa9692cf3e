/**
 * Connects to every database and server that the configuration names, once, and asks for its version. Used by `doctor`
 * and by `config --check`. It changes nothing, except that S3 gets an object which is removed again.
 */
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import type { Config, OptionName } from '../../config/config.js'
import { type Finding, ok, wrong } from '../../core/administration/finding.js'
import { OperatorError } from '../../lib/operator-error.js'
import { hostsOf } from '../../lib/url-per-host.js'
import { isStoreUrl } from '../../storage/copies/s3.js'

export interface EngineState {
  readonly name: string
  readonly option: OptionName
  /** Host and port; never a password. */
  readonly place: string
  readonly version?: string
  /** Milliseconds that the clock of the server is ahead of ours. */
  readonly clockOffset?: number
  readonly failure?: string
}

export function connectEngines(config: Config): Promise<EngineState[]> {
  const { databaseUrl, clickhouseUrl, redisUrl, s3Url, backupTo, smtpUrl, smsGatewayUrl, otlpUrl } = config
  const wanted: Promise<EngineState>[] = []
  const engine = (name: string, option: OptionName, url: string | undefined, ask: (url: string) => Promise<Answer>) => {
    if (url !== undefined) wanted.push(state(name, option, url, ask))
  }
  engine('PostgreSQL', 'databaseUrl', databaseUrl, askPostgres)
  engine('ClickHouse', 'clickhouseUrl', clickhouseUrl, askClickhouse)
  engine('Redis', 'redisUrl', redisUrl, askRedis)
  engine('S3', 's3Url', s3Url, askS3)
  engine('S3', 'backupTo', backupTo !== undefined && isStoreUrl(backupTo) ? backupTo : undefined, askS3)
  engine('SMTP', 'smtpUrl', smtpUrl, askSmtp)
  engine('SMS gateway', 'smsGatewayUrl', smsGatewayUrl, askPort)
  engine('OpenTelemetry collector', 'otlpUrl', otlpUrl, askPort)
  for (const address of config.nsqdTcpAddresses) engine('nsqd', 'nsqdTcpAddresses', `tcp://${address}`, askPort)
  for (const origin of config.nsqdHttpAddresses) engine('nsqd', 'nsqdHttpAddresses', origin, askNsq)
  for (const origin of config.nsqlookupdHttpAddresses) engine('nsqlookupd', 'nsqlookupdHttpAddresses', origin, askNsq)
  return Promise.all(wanted)
}

/** One sentence for each engine that does not answer, as in `config --check`. */
export function engineProblems(engines: readonly EngineState[]): string[] {
  return engines.flatMap(({ name, option, place, failure }) =>
    failure === undefined ? [] : [`${option}: ${name} at ${place} cannot be used: ${failure}`],
  )
}

export async function examineEngines(engines: readonly EngineState[]): Promise<Finding[]> {
  const embedded = [`Node ${process.versions.node}`, `SQLite ${await sqliteVersion()}`, `DuckDB ${duckdbVersion()}`]
  return [
    ok('engines', `${embedded.join(', ')} are part of the program.`),
    ...engines.map(({ name, option, place, version, failure }) =>
      failure === undefined
        ? ok('engines', `${name}${version === undefined ? '' : ` ${version}`} at ${place} answers.`)
        : wrong(
            'engines',
            `${name} at ${place} cannot be used: ${failure}`,
            `Check that it runs, and the option ${option}.`,
          ),
    ),
  ]
}

interface Answer {
  readonly version?: string
  /** Milliseconds since 1970. */
  readonly clock?: number
}

const timeLimit = 5000

async function state(
  name: string,
  option: OptionName,
  url: string,
  ask: (url: string) => Promise<Answer>,
): Promise<EngineState> {
  const common = { name, option, place: hostsOf(url) }
  try {
    const asked = Date.now()
    const { version, clock } = await within(ask(url))
    // The answer was written some time between question and answer.
    const offset = clock === undefined ? undefined : Math.round(clock - (asked + Date.now()) / 2)
    return { ...common, ...(version && { version }), ...(offset !== undefined && { clockOffset: offset }) }
  } catch (error) {
    return { ...common, failure: sentence(error) }
  }
}

function sentence(error: unknown): string {
  const text = reasonOf(error)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The message of the innermost cause: fetch and our own stores wrap what the network said. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof OperatorError) return error.message
  // A host name with several IPs fails with one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${(2 * timeLimit) / 1000} seconds`)), 2 * timeLimit)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function askPostgres(url: string): Promise<Answer> {
  const { Client } = await import('pg')
  const limits = { connectionTimeoutMillis: timeLimit, query_timeout: timeLimit }
  const { primaryUrl } = await import('../../storage/sql/postgres-primary.js')
  const client = new Client({ connectionString: await primaryUrl(url), ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; clock: string }>(
      "select current_setting('server_version') as version, extract(epoch from clock_timestamp()) * 1000 as clock",
    )
    return { version: rows[0]?.version ?? '', clock: Number(rows[0]?.clock) }
  } finally {
    await client.end().catch(() => {})
  }
}

async function askClickhouse(url: string): Promise<Answer> {
  const { httpSession } = await import('../../storage/clickhouse/http-session.js')
  const session = httpSession(url, { timeLimit })
  try {
    const [row] = await session.query('SELECT version(), toUnixTimestamp64Milli(now64(3))')
    return { version: String(row?.[0]), clock: Number(row?.[1]) }
  } finally {
    await session.close()
  }
}

async function askRedis(url: string): Promise<Answer> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeLimit,
    commandTimeout: timeLimit,
    maxRetriesPerRequest: 0,
    // It would wait for an answer without a limit.
    enableReadyCheck: false,
    retryStrategy: () => null,
  })
  let failure: unknown
  redis.on('error', (error) => {
    failure = error
  })
  try {
    await redis.connect()
    const [info, [seconds, microseconds]] = await Promise.all([redis.info('server'), redis.time()])
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? ''
    return { version, clock: Number(seconds) * 1000 + Number(microseconds) / 1000 }
  } catch (error) {
    // The command only says that the connection is closed; the event says why.
    throw failure ?? error
  } finally {
    redis.disconnect()
  }
}

async function askS3(url: string): Promise<Answer> {
  const { s3Blobs } = await import('../../storage/blobs/s3-blobs.js')
  await s3Blobs(url, { timeout: timeLimit, pause: 100 }).check()
  return {}
}

async function askSmtp(url: string): Promise<Answer> {
  const { createTransport } = await import('nodemailer')
  const limits = { connectionTimeout: timeLimit, greetingTimeout: timeLimit, socketTimeout: timeLimit }
  const transport = createTransport({ url, ...limits })
  try {
    await transport.verify()
    return {}
  } finally {
    transport.close()
  }
}

async function askNsq(origin: string): Promise<Answer> {
  const answer = await fetch(`${origin}/info`, { signal: AbortSignal.timeout(timeLimit), redirect: 'error' })
  if (!answer.ok) throw new Error(`/info answered ${answer.status}`)
  return { version: String(((await answer.json()) as { version?: unknown }).version) }
}

/** For servers that have no question without an effect. */
function askPort(url: string): Promise<Answer> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: timeLimit })
    socket.once('connect', () => {
      socket.destroy()
      resolve({})
    })
    socket.once('timeout', () => socket.destroy(new Error('timeout')))
    socket.once('error', reject)
  })
}

async function sqliteVersion(): Promise<string> {
  const { default: Database } = await import('libsql')
  const memory = new Database(':memory:')
  try {
    return (memory.prepare('select sqlite_version() as version').get() as { version: string }).version
  } finally {
    memory.close()
  }
}

/** From its package: loading it would take 70 MB of memory where clicks are in ClickHouse. */
function duckdbVersion(): string {
  const read = createRequire(import.meta.url)
  return (read('@duckdb/node-api/package.json') as { version: string }).version
}
