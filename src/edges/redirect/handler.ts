/**
 * The redirect path: what a request for a short link is answered. On a hit it parses nothing, awaits nothing and logs
 * nothing: it finds the target in memory, hands the raw facts of the visit to the journal, and the journal has it
 * answered. It counts; `/metrics` reads the counts.
 */
import type { Journal, Visit } from '../../core/clicks/journal.js'
import type { Domain, Domains } from '../../core/domains/domains.js'
import type { Target, TargetRules } from '../../core/links/link.js'
import { type RedirectCache, resolve } from '../../core/links/redirect-cache.js'
import { isBackHalf, reservedSegments } from '../../core/values/address.js'
import type { Clock } from '../../core/values/clock.js'
import { ThrottledLog } from '../../lib/throttled-log.js'
import { icon } from '../http/icon.js'
import { answerByRules, asLocation, found, type RuleDeps, type RuledAnswer } from './answer-by-rules.js'
import { type AssociationFile, associationFile } from './association.js'
import type { LinkRequest, Send } from './link-request.js'
import {
  expiredPage,
  informationPage,
  notFoundPage,
  type Page,
  removedPage,
  unavailablePage,
  welcomePage,
} from './pages.js'

export interface RedirectDeps extends RuleDeps {
  readonly redirectCache: RedirectCache
  readonly domains: Pick<Domains, 'default' | 'find' | 'shown'>
  readonly journal: Journal
  readonly clock: Clock
  readonly log: { error(fields: object, message: string): void }
  readonly config: {
    readonly baseUrl: string
    readonly anyHost: boolean
    readonly trustProxy: number
  }
}

interface RedirectCounts {
  redirects: number
  missing: number
  gone: number
  failed: number
}

/** Answers the request and says true, or leaves it alone and says false: then it is the API's. */
export type RedirectHandler = ((request: LinkRequest, send: Send) => boolean) & {
  readonly counts: Readonly<RedirectCounts>
}

export function redirectHandler(deps: RedirectDeps): RedirectHandler {
  const { redirectCache, journal, clock, config } = deps
  const domainOf = domainByHost(deps)
  const { host: baseHost, protocol: scheme } = new URL(config.baseUrl)
  const welcome = welcomePage(config.baseUrl)
  const byRules = answerByRules(deps)
  const counts: RedirectCounts = { redirects: 0, missing: 0, gone: 0, failed: 0 }
  const failures = new ThrottledLog((fields) => deps.log.error(fields, 'redirects could not be worked out'))
  const fail = (error: unknown) => {
    counts.failed++
    failures.failed(error, clock.now())
  }

  function handle(request: LinkRequest, send: Send): boolean {
    const { url, host } = request
    const domain = domainOf(host)
    if (url.charCodeAt(1) === dot && (domain !== undefined || host === baseHost)) {
      const file = associationFile(url.slice(1).replace(/\?.*$/, ''))
      if (file) return sendAssociation(file, domain, request, send)
    }
    if (domain === undefined || url.charCodeAt(0) !== slash) return false

    const queryAt = url.indexOf('?')
    const path = queryAt === -1 ? url.slice(1) : url.slice(1, queryAt)
    if (path === 'robots.txt') return sendRobots(request, send)
    // An organization's own domain never serves the API, whatever the base URL says. A former name of ours does: a proxy
    // in front may still send it.
    const servesApi = config.anyHost || domain.name === baseHost || domain.byFormerName
    if (!domain.branded && servesApi && isReserved(path)) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(send)
    if (path === '') return domain.rootUrl === undefined ? sendPage(send, welcome) : sendTo(send, domain.rootUrl)

    const asked = askedFor(domain, path, queryAt === -1 ? '' : url.slice(queryAt))
    if (!asked) return path === 'favicon.ico' ? sendIcon(send) : answerMissing(domain, send)
    const now = clock.now()
    const known = redirectCache.peek(asked.address, now)
    if (known === undefined) void loadAndAnswer(asked, request, send)
    else answer(known, asked, now, request, send)
    return true
  }

  async function loadAndAnswer(asked: Asked, request: LinkRequest, send: Send): Promise<void> {
    try {
      const target = await redirectCache.load(asked.address)
      answer(target, asked, clock.now(), request, send)
    } catch (error) {
      fail(error)
      sendPage(send, unavailablePage)
    }
  }

  function answer(found: Target | null, asked: Asked, now: number, request: LinkRequest, send: Send): void {
    const resolution = resolve(found, now)
    if (resolution.outcome === 'missing') {
      answerMissing(asked.domain, send)
    } else if (resolution.outcome === 'gone') {
      counts.gone++
      sendPage(send, resolution.reason === 'expired' ? expiredPage : removedPage)
    } else if (asked.information) {
      sendPage(send, informationPage(resolution.target, `${scheme}//${deps.domains.shown(resolution.target.address)}`))
    } else {
      counts.redirects++
      const { target } = resolution
      const visit = visitOf(request, asked.scan, now)
      if (target.rules === undefined) redirect(target, visit, send)
      else void redirectByRules(target, target.rules, visit, send)
    }
  }

  function answerMissing(domain: Domain, send: Send): true {
    counts.missing++
    if (domain.notFoundUrl !== undefined) return sendTo(send, domain.notFoundUrl)
    return sendPage(send, notFoundPage)
  }

  /** Those that the proxies in front have written: what stands before is the client's own claim, of any length. */
  function lastEntries(forwardedFor: string | undefined): string | undefined {
    return forwardedFor?.slice(-longestEntry * config.trustProxy)
  }

  function visitOf(request: LinkRequest, scan: boolean, now: number): Visit {
    const { userAgent = '', referrer = '', language = '', purpose = '', remoteAddress = '' } = request
    const visitor = config.trustProxy > 0 ? (lastEntries(request.forwardedFor) ?? remoteAddress) : remoteAddress
    return {
      at: now,
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      scan,
      visitor,
      userAgent,
      referrer,
      language,
      purpose,
    }
  }

  function redirect(target: Target, visit: Visit, send: Send): void {
    // No body: nobody reads it.
    journal.record(target, visit, () =>
      send(301, [
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
      ]),
    )
  }

  /** Never rejects. The journal is told the destination that was chosen, not the standard one. */
  async function redirectByRules(target: Target, rules: TargetRules, visit: Visit, send: Send): Promise<void> {
    const { destination, status, headers, body } = await chosenAnswer(target, rules, visit)
    journal.record({ ...target, longUrl: destination }, visit, () => send(status, headers, body))
  }

  /**
   * Our choice: while rules cannot be worked out, because the applications cannot be read, the web page is the answer.
   */
  async function chosenAnswer(target: Target, rules: TargetRules, visit: Visit): Promise<RuledAnswer> {
    try {
      return await byRules(target, rules, visit)
    } catch (error) {
      fail(error)
      return found(target.longUrl, target.longUrl)
    }
  }

  function sendAssociation(file: AssociationFile, domain: Domain | undefined, request: LinkRequest, send: Send): true {
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(send)
    deps.mobileAppTable.known().then(
      (apps) => sendJson(send, file(apps.of(domain?.organizationGuid))),
      (error: unknown) => {
        fail(error)
        sendPage(send, unavailablePage)
      },
    )
    return true
  }

  return Object.assign(handle, { counts })
}

/** An address with brackets, port and comma has some fifty characters. */
const longestEntry = 64
const slash = '/'.charCodeAt(0)
const dot = '.'.charCodeAt(0)

/**
 * Which short domain a Host header means: branded ones and built-in ones by their names. With nothing configured every
 * other host is the built-in one too.
 */
function domainByHost({ domains, config }: RedirectDeps): (host: string | undefined) => Domain | undefined {
  if (config.anyHost) {
    return (host) => (host === undefined ? undefined : domains.find(host)) ?? domains.default
  }
  const ownPort = config.baseUrl.startsWith('https:') ? /:(?:443)?$/ : /:(?:80)?$/
  /** The same host as nearly everybody writes it: without the dot of the root and without the scheme's own port. */
  const plainly = (host: string) => host.replace(ownPort, '').replace(/\.(?=$|:)/, '')
  return (host) => (host === undefined ? undefined : (domains.find(host) ?? domains.find(plainly(host))))
}

function isReserved(path: string): boolean {
  const end = path.indexOf('/')
  return reservedSegments.has(end === -1 ? path : path.slice(0, end))
}

interface Asked {
  readonly domain: Domain
  readonly address: string
  /** A trailing `+`: the information page instead of the redirect. */
  readonly information: boolean
  /** `r=qr` in the query marks a scanned code. */
  readonly scan: boolean
}

/**
 * What a path asks for. Exact paths first; only before a 404 the punctuation is dropped that comes along when people
 * paste links out of sentences (docs/api/redirects.md#what-finds-a-link).
 */
function askedFor(domain: Domain, path: string, query: string): Asked | undefined {
  const scan = query !== '' && /[?&]r=qr(?:&|$)/.test(query)
  if (isBackHalf(path)) return { domain, address: `${domain.key}/${path}`, information: false, scan }
  if (path.length > longestPath) return undefined
  const trimmed = decoded(path).replace(pastedAlong, '')
  const information = trimmed.endsWith('+')
  const backHalf = information ? trimmed.slice(0, -1) : trimmed
  return isBackHalf(backHalf) ? { domain, address: `${domain.key}/${backHalf}`, information, scan } : undefined
}

/**
 * A back-half with every letter percent-encoded, and as much again behind it. The pattern below looks at every dot of a
 * path as a beginning: without a limit, fifteen thousand of them stopped the process for a sixth of a second.
 */
const longestPath = 300

/** Punctuation, white space and what else has no width or closes a quotation. */
const pastedAlong = /[/.,;:!?)\]}>'"*\s\u00bb\u200b-\u200f\u2019\u201d\u2026\u2060]+$/

/** RFC 3986, 6.2.2.2: `%5F` is `_`, and mail programs like to write it so. What is not valid is left as it is. */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Where a domain sends visitors that no link answers: 302, because its owner may change it at any time. */
function sendTo(send: Send, url: string): true {
  send(302, ['Location', asLocation(url), 'Cache-Control', 'private, max-age=90', 'Content-Length', '0'])
  return true
}

function sendPage(send: Send, page: Page): true {
  send(page.status, page.headers, page.body)
  return true
}

/** Our choice: phones may keep it for an hour; a new application is known to them soon enough. */
function sendJson(send: Send, value: object): void {
  const body = Buffer.from(JSON.stringify(value))
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'public, max-age=3600',
    'X-Content-Type-Options',
    'nosniff',
  ]
  send(200, headers, body)
}

function sendIcon(send: Send): true {
  const { type, body, caching } = icon
  send(200, ['Content-Type', type, 'Content-Length', String(body.length), 'Cache-Control', caching], body)
  return true
}

function refuseMethod(send: Send): true {
  return sendText(send, 405, Buffer.from('Method not allowed. Short links answer GET and HEAD.\n'), [
    'Allow',
    'GET, HEAD',
  ])
}

/**
 * Crawlers may follow links (previews need that, and they are counted apart); the API is not for them. // Our choice
 */
const robots = Buffer.from(
  `User-agent: *\nDisallow: /v3/\nDisallow: /v4/\nDisallow: /oauth/\nDisallow: /account/\nDisallow: /app/\n`,
)

function sendRobots({ method }: LinkRequest, send: Send): true {
  return method === 'GET' || method === 'HEAD' ? sendText(send, 200, robots) : refuseMethod(send)
}

function sendText(send: Send, status: number, body: Buffer, headers: readonly string[] = []): true {
  const type = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)]
  send(status, [...headers, ...type], body)
  return true
}
