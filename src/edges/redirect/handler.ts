/**
 * The redirect path: a plain node:http handler in front of the API. On a hit it parses nothing, awaits nothing and
 * logs nothing: it finds the target in memory, hands the raw facts of the visit to the journal, and the journal ends
 * the response. It counts; `/metrics` reads the counts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Journal } from '../../core/clicks/journal.js'
import type { Clock } from '../../core/clock.js'
import { isBackHalf, reservedSegments } from '../../core/links/address.js'
import type { Target } from '../../core/links/link.js'
import { resolve, type Targets } from '../../core/links/targets.js'
import {
  expiredPage,
  informationPage,
  notFoundPage,
  type Page,
  removedPage,
  unavailablePage,
  welcomePage,
} from './pages.js'

export interface RedirectParts {
  readonly targets: Targets
  readonly journal: Journal
  readonly clock: Clock
  readonly log: { error(fields: object, message: string): void }
  readonly config: {
    readonly baseUrl: string
    readonly domains: readonly string[]
    readonly anyHost: boolean
    readonly trustProxy: number
  }
}

export interface RedirectCounts {
  redirects: number
  missing: number
  gone: number
  failed: number
}

/** Answers the request and says true, or leaves it alone and says false: then it is the API's. */
export type RedirectHandler = ((request: IncomingMessage, response: ServerResponse) => boolean) & {
  readonly counts: Readonly<RedirectCounts>
}

export function redirectHandler(parts: RedirectParts): RedirectHandler {
  const { targets, journal, clock, config } = parts
  const domainOf = domainByHost(config)
  const { host: baseHost, protocol: scheme } = new URL(config.baseUrl)
  const welcome = welcomePage(config.baseUrl)
  const counts: RedirectCounts = { redirects: 0, missing: 0, gone: 0, failed: 0 }

  function handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? ''
    const host = request.headers.host
    const domain = domainOf(host)
    if (domain === undefined || url.charCodeAt(0) !== slash) return false

    const queryAt = url.indexOf('?')
    const path = queryAt === -1 ? url.slice(1) : url.slice(1, queryAt)
    if (path === 'robots.txt') return sendRobots(request, response)
    if ((config.anyHost || host === baseHost) && isReserved(path)) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(request, response)
    if (path === '') return sendPage(request, response, welcome)

    const asked = askedFor(domain, path, queryAt === -1 ? '' : url.slice(queryAt))
    if (!asked) {
      counts.missing++
      return sendPage(request, response, notFoundPage)
    }
    const now = clock.now()
    const known = targets.peek(asked.address, now)
    if (known === undefined) void loadAndAnswer(asked, request, response)
    else answer(known, asked, now, request, response)
    return true
  }

  async function loadAndAnswer(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const target = await targets.load(asked.address)
      answer(target, asked, clock.now(), request, response)
    } catch (error) {
      counts.failed++
      parts.log.error({ err: error, address: asked.address }, 'a redirect could not be looked up')
      sendPage(request, response, unavailablePage)
    }
  }

  function answer(
    found: Target | null,
    asked: Asked,
    now: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const resolution = resolve(found, now)
    if (resolution.outcome === 'missing') {
      counts.missing++
      sendPage(request, response, notFoundPage)
    } else if (resolution.outcome === 'gone') {
      counts.gone++
      sendPage(request, response, resolution.reason === 'expired' ? expiredPage : removedPage)
    } else if (asked.information) {
      sendPage(request, response, informationPage(resolution.target, `${scheme}//${resolution.target.address}`))
    } else {
      counts.redirects++
      redirect(resolution.target, asked.scan, now, request, response)
    }
  }

  function redirect(
    target: Target,
    scan: boolean,
    now: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const headers = request.headers
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
    const forwarded = config.trustProxy > 0 ? headers['x-forwarded-for'] : undefined
    const visit = {
      at: now,
      method,
      scan,
      visitor: String(forwarded ?? request.socket.remoteAddress ?? ''),
      userAgent: headers['user-agent'] ?? '',
      referrer: headers.referer ?? '',
      language: headers['accept-language'] ?? '',
      purpose: String(headers['sec-purpose'] ?? headers.purpose ?? ''),
    } as const
    journal.record(target, visit, () => {
      // No body: nobody reads it, and a second chunk turns the write into a writev, 15 % of the whole answer.
      response.writeHead(301, [
        'Location',
        asLocation(target.longUrl),
        'Cache-Control',
        'private, max-age=90',
        'Content-Type',
        'text/html; charset=utf-8',
        'Content-Length',
        '0',
        'Referrer-Policy',
        'unsafe-url',
        'X-Content-Type-Options',
        'nosniff',
        'Content-Security-Policy',
        "default-src 'none'",
      ])
      response.end()
    })
  }

  return Object.assign(handle, { counts })
}

const slash = '/'.charCodeAt(0)

/** Which short domain a Host header means. With nothing configured every host is the built-in one (design: same host). */
function domainByHost(config: RedirectParts['config']): (host: string | undefined) => string | undefined {
  const [builtIn] = config.domains
  if (config.anyHost) return () => builtIn
  const known = new Map(config.domains.map((domain) => [domain, domain]))
  return (host) => (host === undefined ? undefined : (known.get(host) ?? known.get(host.toLowerCase())))
}

function isReserved(path: string): boolean {
  const end = path.indexOf('/')
  return reservedSegments.has(end === -1 ? path : path.slice(0, end))
}

interface Asked {
  readonly address: string
  /** A trailing `+`: the information page instead of the redirect. */
  readonly information: boolean
  /** Gaps 3.5: `r=qr` in the query marks a scanned code. */
  readonly scan: boolean
}

/**
 * What a path asks for. Exact paths first; only before a 404 the punctuation is dropped that comes along when people
 * paste links out of sentences (gaps 8).
 */
function askedFor(domain: string, path: string, query: string): Asked | undefined {
  const scan = query !== '' && /[?&]r=qr(?:&|$)/.test(query)
  if (isBackHalf(path)) return { address: `${domain}/${path}`, information: false, scan }
  const trimmed = path.replace(/[/.,;:!?)\]}>'"*]+$/, '')
  const information = trimmed.endsWith('+')
  const backHalf = information ? trimmed.slice(0, -1) : trimmed
  return isBackHalf(backHalf) ? { address: `${domain}/${backHalf}`, information, scan } : undefined
}

/** Headers carry ASCII only; what else a destination holds is percent-encoded, as a browser would. */
function asLocation(longUrl: string): string {
  return /[^\x21-\x7e]/.test(longUrl) ? new URL(longUrl).href : longUrl
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: Page): true {
  response.writeHead(page.status, page.headers)
  response.end(request.method === 'HEAD' ? undefined : page.body)
  return true
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): true {
  const body = 'Method not allowed. Short links answer GET and HEAD.\n'
  // The rest of an unread body would be taken for the next request.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
    response.shouldKeepAlive = false
  }
  response.writeHead(405, [
    'Allow',
    'GET, HEAD',
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    String(body.length),
  ])
  response.end(body)
  return true
}

/** Crawlers may follow links (previews need that, and they are counted apart); the API is not for them. // Our choice */
const robots = `User-agent: *\nDisallow: /v3/\nDisallow: /v4/\nDisallow: /oauth/\nDisallow: /app/\n`

function sendRobots(request: IncomingMessage, response: ServerResponse): true {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(request, response)
  response.writeHead(200, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(robots.length)])
  response.end(request.method === 'HEAD' ? undefined : robots)
  return true
}
