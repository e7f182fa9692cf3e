/**
 * The HTTP client for every URL that a user chose: titles and icons of pages, webhooks, and the token endpoints of receivers. It is
 * protected against SSRF: a name is resolved once, all its IPs are checked, and the connection goes to exactly those.
 * Redirects start over. Time, body and redirects are limited; TLS certificates must match the name. It knows nothing
 * about links or webhooks.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { parseUrl } from '../../lib/parse-url.js'
import { addressGuard } from './address-guard.js'
import { isStaleConnection, OutgoingError, outgoingError } from './outgoing-error.js'
import { nameResolver, type ResolveName } from './resolve-name.js'

export interface GuardedClientOptions {
  /** Networks that are permitted although they are not public, in CIDR notation (`outgoingAllow`). */
  readonly allow?: readonly string[]
  /** `web`: only ports 80 and 443 of public addresses. Networks in `allow` are permitted with every port. */
  readonly ports?: 'any' | 'web'
  /** Name resolution; by default the hosts file and the name servers of the system. */
  readonly lookup?: ResolveName
  /** Certificate authority in PEM, instead of those that Node trusts. */
  readonly ca?: string
}

export interface OutgoingRequest {
  readonly url: string
  /** GET by default. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Total time: name resolution, redirects and the body included. */
  readonly timeoutMs: number
  /** A longer body is refused (`too_large`), or cut where `truncate` is set. Both end the connection. */
  readonly maxBodyBytes: number
  readonly truncate?: boolean
  /**
   * 0 by default: a redirect is the response. At most 3. Other methods than GET and HEAD follow only 307 and 308, which
   * repeat the request; so a body that contains a secret must not be sent with redirects.
   */
  readonly maxRedirects?: number
  /** Aborts the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface OutgoingResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response whose body is still to be read. What is not read to its end closes the connection. */
export interface OpenResponse extends Omit<OutgoingResponse, 'body'> {
  /** Where it came from, after redirects. */
  readonly url: string
  readonly body: AsyncIterable<Buffer>
}

const mostRedirects = 3

/** Longer than the pauses between the requests of a busy webhook, shorter than the idle timeout of most servers. */
const idleMs = 15_000

export class GuardedClient {
  readonly #options: GuardedClientOptions
  readonly #kindOf: ReturnType<typeof addressGuard>
  readonly #resolveName: ResolveName
  /** Pooled connections belong to this client alone, so each of them was checked when it was opened. */
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: idleMs }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: idleMs }),
  }

  constructor(options: GuardedClientOptions = {}) {
    this.#options = options
    this.#kindOf = addressGuard(options.allow ?? [])
    this.#resolveName = options.lookup ?? nameResolver()
  }

  /** Rejects with an OutgoingError when there is no response; any status is a response. */
  request(input: OutgoingRequest): Promise<OutgoingResponse> {
    return this.read(input, async ({ status, headers, body }) => ({
      status,
      headers,
      body: await wholeBody(body, input),
    }))
  }

  /** As `request`, but `reader` gets the body as it arrives and may stop early. It has to limit the size itself. */
  async read<Result>(input: OutgoingRequest, reader: (response: OpenResponse) => Promise<Result>): Promise<Result> {
    input.signal?.throwIfAborted()
    const exchange = new Exchange()
    const timer = setTimeout(() => exchange.end(), input.timeoutMs)
    const abort = () => exchange.end()
    input.signal?.addEventListener('abort', abort, { once: true })
    try {
      const { response, url } = await this.#follow(input, exchange)
      const { statusCode = 0, headers } = response
      const result = await reader({ url: url.href, status: statusCode, headers, body: response })
      // One that was read to its end has returned its connection to the pool.
      if (!response.readableEnded) exchange.end()
      return result
    } catch (error) {
      const isLate = exchange.isEnded
      exchange.end()
      input.signal?.throwIfAborted()
      if (isLate) throw new OutgoingError('timeout', `no complete response within ${input.timeoutMs} ms`)
      throw outgoingError(error)
    } finally {
      clearTimeout(timer)
      input.signal?.removeEventListener('abort', abort)
    }
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #follow(
    input: OutgoingRequest,
    exchange: Exchange,
  ): Promise<{ readonly response: IncomingMessage; readonly url: URL }> {
    const most = Math.min(input.maxRedirects ?? 0, mostRedirects)
    const { method = 'GET' } = input
    let headers = input.headers ?? {}
    let url = this.#checkedUrl(input.url)
    for (let redirects = 0; ; redirects++) {
      const response = await this.#send(url, { ...input, method, headers }, exchange)
      const location = most === 0 ? undefined : redirectTarget(response, method, url)
      if (location === undefined) return { response, url }
      response.destroy()
      if (redirects === most) throw new OutgoingError('too_many_redirects', `more than ${most} redirects`)
      const next = this.#checkedUrl(location)
      if (next.origin !== url.origin) headers = withoutCredentials(headers)
      url = next
    }
  }

  async #send(url: URL, input: OutgoingRequest, exchange: Exchange): Promise<IncomingMessage> {
    try {
      return await this.#sendOn(this.#agents[url.protocol as 'http:' | 'https:'], url, input, exchange)
    } catch (error) {
      // The server closed a pooled connection just when it was used again. A new one cannot have this problem.
      if (!isStaleConnection(error)) throw error
      return this.#sendOn(false, url, input, exchange)
    }
  }

  #sendOn(
    agent: HttpAgent | false,
    url: URL,
    { method, headers, body }: OutgoingRequest,
    exchange: Exchange,
  ): Promise<IncomingMessage> {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    const tls = { rejectUnauthorized: true, ...(this.#options.ca !== undefined && { ca: this.#options.ca }) }
    const outgoing = request(url, {
      agent,
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
      lookup: this.#checkedLookup(portOf(url)),
      ...tls,
    })
    exchange.begin(outgoing)
    return new Promise((resolve, reject) => {
      outgoing.on('response', resolve)
      outgoing.on('error', (error) => reject(outgoing.reusedSocket ? Object.assign(error, { reused: true }) : error))
      // Without a listener node closes the connection silently, and the promise would never settle.
      outgoing.on('upgrade', (_response, connection) => {
        connection.destroy()
        reject(new OutgoingError('connect', 'the server switched to another protocol'))
      })
      outgoing.end(body)
    })
  }

  #checkedUrl(text: string): URL {
    const url = parseUrl(text)
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      throw new OutgoingError('forbidden_address', 'only http and https URLs without user and password are requested')
    }
    // A literal IP is connected to without a lookup.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) !== 0 && !this.#mayConnect(host, portOf(url))) throw forbidden(url.hostname)
    return url
  }

  #checkedLookup(port: number): LookupFunction {
    return (hostname, { all }, callback) => {
      this.#resolveName(hostname, { all: true }, (error, addresses) => {
        const [first] = addresses ?? []
        if (error || first === undefined) return callback(dnsError(hostname), [])
        // One forbidden IP refuses the name: a name with public and private IPs is an attack.
        if (!addresses.every(({ address }) => this.#mayConnect(address, port))) return callback(forbidden(hostname), [])
        return all ? callback(null, addresses) : callback(null, first.address, first.family)
      })
    }
  }

  #mayConnect(address: string, port: number): boolean {
    const kind = this.#kindOf(address)
    if (kind === 'public') return this.#options.ports !== 'web' || port === 80 || port === 443
    return kind === 'permitted'
  }
}

/** Requests one after another, of which none goes on after the end. An AbortSignal would take a fifth of the time of a request. */
class Exchange {
  #request: ClientRequest | undefined
  isEnded = false

  begin(request: ClientRequest): void {
    this.#request = request
    if (this.isEnded) this.end()
  }

  end(): void {
    this.isEnded = true
    this.#request?.destroy(new Error('the exchange is over'))
  }
}

async function wholeBody(body: AsyncIterable<Buffer>, limits: OutgoingRequest): Promise<Buffer> {
  const { maxBodyBytes, truncate = false } = limits
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBodyBytes) continue
    if (!truncate) throw new OutgoingError('too_large', `the response has more than ${maxBodyBytes} bytes`)
    break
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes)
}

/** Undefined when the response is no redirect that this method follows, or leads nowhere. */
function redirectTarget({ statusCode, headers }: IncomingMessage, method: string, base: URL): string | undefined {
  const { location } = headers
  const followed = method === 'GET' || method === 'HEAD' ? redirectsOfReads : redirectsOfWrites
  if (location === undefined || !followed.has(statusCode ?? 0)) return undefined
  return parseUrl(location, base.href)?.href
}

const redirectsOfReads: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The others would turn the request into a GET without its body, whose success says nothing. */
const redirectsOfWrites: ReadonlySet<number> = new Set([307, 308])

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie)$/i.test(name)))
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
}

function forbidden(host: string): OutgoingError {
  return new OutgoingError('forbidden_address', `"${host}" is not a public address`)
}

function dnsError(host: string): OutgoingError {
  return new OutgoingError('dns', `the name "${host}" cannot be resolved`)
}
