/**
 * A session over ClickHouse's HTTP interface. Reports problems that the operator can fix (server unreachable, wrong
 * password, missing grant) as OperatorError. Knows nothing about clicks.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { ClickhouseError, type ClickhouseSession, type InsertOptions, oneBlock, type Value } from './session.js'

export interface SessionOptions {
  readonly timeLimit?: number
  /**
   * Pings the server every second. If it does not answer for three seconds, running queries are aborted and new ones
   * fail at once until it answers again. Slow queries on a healthy server keep their time limit.
   */
  readonly watch?: boolean
  /** Replicas that must confirm an insert; 0: only the one that receives it. */
  readonly insertQuorum?: number
}

/** `http(s)://user:password@host:8123/database`; the default database is `default`. */
export function httpSession(url: string, options: SessionOptions = {}): ClickhouseSession {
  return new HttpSession(new URL(url), options)
}

const watchEvery = 1_000
const maxSilence = 3_000

// A report that takes longer is aborted, a batch is retried.
const defaultTimeLimit = 60_000

class HttpSession implements ClickhouseSession {
  readonly database: string
  readonly place: string
  readonly #origin: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #user: string
  readonly #timeLimit: number
  readonly #insertSettings: Readonly<Record<string, number>>
  readonly #closing = new AbortController()
  #lost = new AbortController()
  #unavailable: UnavailableError | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #running = new Set<Promise<unknown>>()

  constructor(url: URL, { timeLimit = defaultTimeLimit, watch = false, insertQuorum = 0 }: SessionOptions) {
    this.database = decodeURIComponent(url.pathname.replace(/^\/|\/$/g, '')) || 'default'
    this.place = `ClickHouse at ${url.origin}`
    this.#origin = url.origin
    this.#user = decodeURIComponent(url.username) || 'default'
    this.#timeLimit = timeLimit
    // Header values are bytes, so encode the password as UTF-8.
    const bytes = (text: string) => Buffer.from(decodeURIComponent(text)).toString('latin1')
    this.#headers = {
      'X-ClickHouse-User': bytes(url.username) || 'default',
      ...(url.password === '' ? {} : { 'X-ClickHouse-Key': bytes(url.password) }),
    }
    this.#insertSettings = insertQuorum === 0 ? {} : { insert_quorum: insertQuorum }
    if (watch) this.#watch()
  }

  get trouble(): string | undefined {
    return this.#unavailable?.message
  }

  async run(sql: string, { timeLimit } = { timeLimit: this.#timeLimit }): Promise<void> {
    await this.#send({ settings: {}, body: sql, timeLimit, retry: false })
  }

  async query(sql: string): Promise<readonly (readonly unknown[])[]> {
    const settings = { default_format: 'JSONCompactEachRow', max_query_size: maxQueryBytes }
    const text = await this.#send({ settings, body: sql, timeLimit: this.#timeLimit, retry: true })
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as readonly unknown[])
  }

  async save(sql: string, file: string, { timeLimit } = { timeLimit: this.#timeLimit }): Promise<void> {
    const settings = { max_query_size: maxQueryBytes }
    const read = async (response: Response) => {
      if (response.body) await pipeline(response.body, createWriteStream(file))
      return ''
    }
    await this.#send({ settings, body: sql, timeLimit, retry: true, read })
  }

  async load(
    table: string,
    format: string,
    file: string,
    { timeLimit } = { timeLimit: this.#timeLimit },
  ): Promise<void> {
    const settings = { query: `INSERT INTO ${table} FORMAT ${format}`, insert_deduplicate: 0, ...this.#insertSettings }
    await this.#send({ settings, body: createReadStream(file), timeLimit, retry: false })
  }

  async insert(table: string, rows: readonly (readonly Value[])[], options?: InsertOptions): Promise<void> {
    const query = `INSERT INTO ${table} FORMAT JSONCompactEachRow`
    const token = options ? { insert_deduplication_token: options.deduplicationToken } : {}
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    await this.#send({
      settings: { query, ...oneBlock, ...this.#insertSettings, ...token },
      body,
      timeLimit: this.#timeLimit,
      retry: false,
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    await Promise.allSettled(this.#running)
  }

  #watch(): void {
    this.#timer = setTimeout(async () => {
      try {
        // /ping needs neither a user nor a query slot. Any response will do.
        const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(maxSilence)])
        await (await fetch(`${this.#origin}/ping`, { signal, redirect: 'manual' })).arrayBuffer()
        if (this.#unavailable) this.#lost = new AbortController()
        this.#unavailable = undefined
      } catch (error) {
        if (this.#closing.signal.aborted) return
        this.#unavailable = this.#unreachable(error, maxSilence)
        this.#lost.abort()
      }
      this.#watch()
    }, watchEvery).unref()
  }

  #send(request: Request): Promise<string> {
    const sending = this.#sendNow(request)
    this.#running.add(sending)
    return sending.finally(() => this.#running.delete(sending))
  }

  async #sendNow({ settings, body, timeLimit, retry, read = textOf }: Request): Promise<string> {
    const parameters = new URLSearchParams({
      // Makes the HTTP status reliable, even for errors at the end of a query.
      wait_end_of_query: '1',
      http_write_exception_in_output_format: '0',
      max_execution_time: String(Math.ceil(timeLimit / 1000)),
    })
    for (const [name, value] of Object.entries(settings)) parameters.set(name, String(value))
    if (this.#unavailable) throw this.#unavailable
    const lost = this.#lost.signal
    let response: Response
    let text: string
    try {
      response = await fetch(`${this.#origin}/?${parameters}`, {
        method: 'POST',
        headers: this.#headers,
        body,
        // Required for a stream: the answer comes after the whole request.
        duplex: 'half',
        signal: AbortSignal.any([this.#closing.signal, lost, AbortSignal.timeout(timeLimit)]),
        redirect: 'error',
      })
      text = await (response.ok ? read : textOf)(response)
    } catch (error) {
      if (this.#closing.signal.aborted) throw new Error('The click log is closed.')
      if (lost.aborted && this.#unavailable) throw this.#unavailable
      // The server may just have closed the keep-alive connection; retrying is safe.
      if (retry && isBroken(error)) return this.#sendNow({ settings, body, timeLimit, retry: false, read })
      throw this.#unreachable(error, timeLimit)
    }
    if (response.ok) return text
    throw this.#refused(response, text)
  }

  #unreachable(error: unknown, timeLimit: number): UnavailableError {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      return new UnavailableError(`${this.place} did not answer within ${timeLimit / 1000} seconds. Check its load.`)
    }
    return new UnavailableError(
      `Cannot reach ${this.place} (${causeOf(error)}). Check clickhouseUrl and that the server is running.`,
    )
  }

  #refused(response: Response, text: string): Error {
    const message = text.split('\n', 1)[0]?.trim() ?? ''
    const code = Number(response.headers.get('X-ClickHouse-Exception-Code') ?? /^Code: (\d+)/.exec(message)?.[1])
    if (!Number.isInteger(code)) {
      return new OperatorError(
        `${this.place} is not a ClickHouse HTTP interface (status ${response.status}). Check clickhouseUrl: it needs the HTTP port, usually 8123.`,
      )
    }
    if (wrongCredentials.has(code)) {
      return new OperatorError(
        `${this.place} refuses the user "${this.#user}". Check user and password in clickhouseUrl.`,
      )
    }
    if (code === accessDenied) {
      return new OperatorError(`${this.place} denies this to the user "${this.#user}": ${message}`)
    }
    return new ClickhouseError(`${this.place}: ${message}`, code)
  }
}

interface Request {
  readonly settings: Readonly<Record<string, string | number>>
  readonly body: string | Readable
  readonly timeLimit: number
  readonly retry: boolean
  /** Reads an answer that is no error; default: as text. */
  readonly read?: (response: Response) => Promise<string>
}

function textOf(response: Response): Promise<string> {
  return response.text()
}

/** Reports over thousands of addresses have long queries. */
const maxQueryBytes = 64 * 1024 * 1024
/** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED. */
const wrongCredentials = new Set([192, 193, 194, 516])
const accessDenied = 497

function isBroken(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(causeOf(error))
}

/** The code behind "fetch failed"; a name with several IP addresses fails with one error each. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeOf(cause.errors[0])
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : String(cause)
}
