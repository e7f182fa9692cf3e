/**
 * The redirect path. On a hit it parses nothing, awaits nothing and logs nothing: it finds the target in memory and
 * passes the raw visit to the journal, which sends the response. It counts requests for `/metrics`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Journal, Visit } from '../../core/clicks/journal.js'
import { clientIp } from '../../core/clicks/visitor.js'
import type { Domain, Domains } from '../../core/domains/domains.js'
import type { Target, TargetRules } from '../../core/links/link.js'
import { type RedirectCache, resolve } from '../../core/links/redirect-cache.js'
import { gs1Path, isBackHalf, isForeignBackHalf, maxPathLength, reservedSegments } from '../../core/values/address.js'
import { isOutage } from '../../core/values/refusal.js'
import type { Clock } from '../../core/values/time.js'
import { FailureThrottle } from '../../lib/failure-throttle.js'
import type { AccessLog } from '../http/access-log.js'
import { Histogram } from '../http/figures.js'
import type { SiteAnswer, SitePage, SitePages } from '../http/site-page.js'
import { answerByRules, type RuleDeps, type RuledAnswer } from './answer-by-rules.js'
import { type AssociationFile, associationFile } from './association.js'
import { type LinkRequest, linkRequestOf, type Send, sendBy } from './link-request.js'
import {
  expiredPage,
  iconPage,
  informationPage,
  methodPage,
  notFoundPage,
  type Page,
  removedPage,
  robotsPage,
  unavailablePage,
  welcomePage,
} from './pages.js'

export interface RedirectDeps extends RuleDeps {
  readonly redirectCache: RedirectCache
  readonly domains: Pick<Domains, 'default' | 'find' | 'urlOf'>
  readonly journal: Journal
  readonly clock: Clock
  readonly log: { error(fields: object, message: string): void }
  readonly config: {
    readonly baseUrl: string
    readonly anyHost: boolean
    readonly trustProxy: number
  }
  readonly accessLog?: AccessLog | undefined
  /** Undefined while there is no database to read pages from. */
  readonly sitePages?: SitePages | undefined
}

export interface RedirectCounts {
  redirects: number
  pages: number
  missing: number
  gone: number
  failed: number
}

/** Returns true when it answers the request; false leaves the request to the API. */
export type RedirectHandler = ((request: LinkRequest, send: Send) => boolean) & {
  /** The same for a request of node:http. */
  http(message: IncomingMessage, response: ServerResponse): boolean
  readonly counts: Readonly<RedirectCounts>
  /** Durations from the request to its response. */
  readonly times: Histogram
}

export function redirectHandler(deps: RedirectDeps): RedirectHandler {
  const { redirectCache, journal, clock, config, sitePages } = deps
  const domainOf = domainByHost(deps)
  const { host: baseHost } = new URL(config.baseUrl)
  const welcome = welcomePage(config.baseUrl)
  const byRules = answerByRules(deps)
  const counts: RedirectCounts = { redirects: 0, pages: 0, missing: 0, gone: 0, failed: 0 }
  const throttle = new FailureThrottle()
  const pictureThrottle = new FailureThrottle()
  const fail = (error: unknown) => {
    counts.failed++
    const failures = throttle.failed(clock.now())
    if (failures !== undefined) deps.log.error({ err: error, failures }, 'cannot look up links or evaluate their rules')
  }

  const times = new Histogram()
  let untilMeasured = measureEvery

  /** Measures one in 64 requests, or all of them for the access log. */
  function handle(request: LinkRequest, send: Send): boolean {
    if (deps.accessLog === undefined && --untilMeasured > 0) return handleNow(request, send)
    untilMeasured = measureEvery
    return handleNow(request, observed(request, send))
  }

  function observed(request: LinkRequest, send: Send): Send {
    const begun = performance.now()
    const answered: Send = (status, headers, body) => {
      send(status, headers, body)
      const milliseconds = performance.now() - begun
      times.observe(milliseconds)
      const { forwardedFor, remoteAddress = '' } = request
      const visitor = config.trustProxy > 0 ? (lastEntries(forwardedFor) ?? remoteAddress) : remoteAddress
      deps.accessLog?.add({ ...request, status, milliseconds, ip: clientIp(visitor, config.trustProxy) })
    }
    return send.elsewhere ? Object.assign(answered, { elsewhere: send.elsewhere }) : answered
  }

  function handleNow(request: LinkRequest, send: Send): boolean {
    const { url, host } = request
    const domain = domainOf(host)
    if (url.charCodeAt(1) === dot && (domain !== undefined || host === baseHost)) {
      const file = associationFile(url.slice(1).replace(/\?.*$/, ''))
      if (file) return sendAssociation(file, domain, request, send)
    }
    if (domain === undefined || url.charCodeAt(0) !== slash) return false

    const path = pathOf(url)
    if (isForApi(domain, path)) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendPage(send, methodPage)
    if (path === 'robots.txt') return sendPage(send, robotsPage)
    // Only a branded domain can have a site at its root.
    if (path === '' && !domain.branded) return answerRoot(domain, send)

    const asked = askedFor(domain, path, url.slice(path.length + 1))
    if (!asked) return path === 'favicon.ico' ? sendPage(send, iconPage) : answerUnknown(domain, send)
    const now = clock.now()
    const known = redirectCache.peek(asked.address, now)
    if (known === undefined) void loadAndAnswer(asked, request, send)
    else answer(known, asked, now, request, send)
    return true
  }

  /** Most requests of node:http are for the API: they are recognised before the headers are read. */
  function http(message: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', headers } = message
    const domain = domainOf(headers.host)
    const isPath = url.charCodeAt(0) === slash && url.charCodeAt(1) !== dot
    if (isPath && (domain === undefined || isForApi(domain, pathOf(url)))) return false
    return handle(linkRequestOf(message), sendBy(message, response))
  }

  function isForApi(domain: Domain, path: string): boolean {
    // A branded domain never serves the API, whatever the base URL says. A former name of a built-in domain does: a
    // proxy may still send it.
    if (domain.branded || !(config.anyHost || domain.name === baseHost || domain.byFormerName)) return false
    // The front page knows who is signed in.
    if (path === '') return domain.rootUrl === undefined
    return path !== 'robots.txt' && isReserved(path)
  }

  async function loadAndAnswer(asked: Asked, request: LinkRequest, send: Send): Promise<void> {
    try {
      const target = await redirectCache.load(asked.address)
      answer(target, asked, clock.now(), request, send)
    } catch (error) {
      fail(error)
      // Where the root leads is known without the store.
      if (asked.isRoot) answerRoot(asked.domain, send)
      else sendPage(send, unavailablePage)
    }
  }

  function answer(found: Target | null, asked: Asked, now: number, request: LinkRequest, send: Send): void {
    const resolution = resolve(found, now)
    if (resolution.outcome === 'missing') {
      answerMissing(asked, send)
    } else if (resolution.outcome === 'gone') {
      counts.gone++
      sendPage(send, resolution.reason === 'expired' ? expiredPage : removedPage)
    } else if (resolution.target.rules?.site !== undefined) {
      answerSite(resolution.target, asked, now, request, send)
    } else if (asked.information) {
      sendPage(send, informationPage(resolution.target, deps.domains.urlOf(resolution.target.address, config.baseUrl)))
    } else {
      counts.redirects++
      const { target } = resolution
      const visit = visitOf(request, asked, now)
      const query = target.forwardQuery ? asked.query : ''
      if (target.rules === undefined) redirect(target, query, visit, send)
      else void redirectByRules(target, target.rules, query, visit, send)
    }
  }

  function answerSite(target: Target, asked: Asked, now: number, request: LinkRequest, send: Send): void {
    if (sitePages === undefined && send.elsewhere) {
      send.elsewhere()
      return
    }
    const page = sitePages?.peek(target, now)
    if (page === undefined) void loadSite(target, asked, request, send)
    else sendSite(page, target, asked, request, send)
  }

  /** Never rejects. */
  async function loadSite(target: Target, asked: Asked, request: LinkRequest, send: Send): Promise<void> {
    try {
      const page = await sitePages?.load(target)
      if (page === undefined) sendPage(send, unavailablePage)
      else sendSite(page, target, asked, request, send)
    } catch (error) {
      fail(error)
      sendPage(send, unavailablePage)
    }
  }

  function sendSite(page: SitePage | null, target: Target, asked: Asked, request: LinkRequest, send: Send): void {
    if (page === null) {
      answerMissing(asked, send)
      return
    }
    const { ifNoneMatch, acceptEncoding } = request
    const answered = page({ query: asked.query, ifNoneMatch, acceptEncoding })
    if (answered instanceof Promise) {
      void sendPicture(answered, send)
      return
    }
    counts.pages++
    const { status, headers, body, counts: counted } = answered
    const answer = () => send(status, headers, body)
    if (counted === undefined) {
      answer()
      return
    }
    // A scan of the QR code of a site is a view of its page as well.
    const kind = counted === 'view' && asked.kind === 'scan' ? 'scan' : counted
    const site = counted === 'button' ? (target.rules?.site ?? '') : ''
    journal.record(target, visitOf(request, { kind, site }, clock.now()), answer)
  }

  /** Never rejects. */
  async function sendPicture(drawn: Promise<SiteAnswer>, send: Send): Promise<void> {
    try {
      const { status, headers, body } = await drawn
      counts.pages++
      send(status, headers, body)
    } catch (error) {
      if (!isOutage(error)) failPicture(error)
      sendPage(send, unavailablePage)
    }
  }

  /** Too many pictures at once are no fault; this is one. */
  function failPicture(error: unknown): void {
    counts.failed++
    const failures = pictureThrottle.failed(clock.now())
    if (failures !== undefined) deps.log.error({ err: error, failures }, 'cannot draw the pictures of sites')
  }

  function answerRoot(domain: Domain, send: Send): true {
    return domain.rootUrl === undefined ? sendPage(send, welcome) : sendTo(send, domain.rootUrl)
  }

  function answerMissing({ domain, isRoot }: Asked, send: Send): true {
    return isRoot ? answerRoot(domain, send) : answerUnknown(domain, send)
  }

  function answerUnknown(domain: Domain, send: Send): true {
    counts.missing++
    if (domain.notFoundUrl !== undefined) return sendTo(send, domain.notFoundUrl)
    return sendPage(send, notFoundPage)
  }

  /** The entries of X-Forwarded-For that trusted proxies wrote; earlier ones are claims of the client, of any length. */
  function lastEntries(forwardedFor: string | undefined): string | undefined {
    return forwardedFor?.slice(-maxEntryLength * config.trustProxy)
  }

  function visitOf(request: LinkRequest, { kind, site }: Pick<Visit, 'kind' | 'site'>, now: number): Visit {
    const { userAgent = '', referrer = '', language = '', purpose = '', remoteAddress = '' } = request
    const visitor = config.trustProxy > 0 ? (lastEntries(request.forwardedFor) ?? remoteAddress) : remoteAddress
    return {
      at: now,
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      kind,
      site,
      visitor,
      userAgent,
      referrer,
      language,
      purpose,
    }
  }

  function redirect(target: Target, query: string, visit: Visit, send: Send): void {
    // No body: nobody reads it.
    journal.record(target, visit, () =>
      send(301, [
        'Location',
        asLocation(withQuery(target.longUrl, query)),
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

  /** Never rejects. The journal gets the chosen destination, not the default one. */
  async function redirectByRules(
    target: Target,
    rules: TargetRules,
    query: string,
    visit: Visit,
    send: Send,
  ): Promise<void> {
    const answer = await chosenAnswer(target, rules, visit)
    journal.record({ ...target, longUrl: answer.destination }, visit, () => {
      if ('page' in answer) return sendPage(send, answer.page)
      // An app is not asked by a query.
      const isPage = answer.location === answer.destination
      sendVisitorTo(send, asLocation(isPage ? withQuery(answer.location, query) : answer.location))
    })
  }

  /** If the rules cannot be evaluated because the mobile apps cannot be loaded, redirect to the web page. */
  async function chosenAnswer(target: Target, rules: TargetRules, visit: Visit): Promise<RuledAnswer> {
    try {
      return await byRules(target, rules, visit)
    } catch (error) {
      fail(error)
      return { destination: target.longUrl, location: target.longUrl }
    }
  }

  function sendAssociation(file: AssociationFile, domain: Domain | undefined, request: LinkRequest, send: Send): true {
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendPage(send, methodPage)
    deps.mobileAppTable.known().then(
      (apps) => sendJson(send, file(apps.of(domain?.organizationGuid))),
      (error: unknown) => {
        fail(error)
        sendPage(send, unavailablePage)
      },
    )
    return true
  }

  return Object.assign(handle, { http, counts, times })
}

/** An IP with brackets, port and comma has about fifty characters. */
const maxEntryLength = 64
const measureEvery = 64
const slash = '/'.charCodeAt(0)
const dot = '.'.charCodeAt(0)

/**
 * Finds the short domain of a Host header: branded and built-in domains by name. If no domain is configured, every
 * other host is the built-in domain.
 */
function domainByHost({ domains, config }: RedirectDeps): (host: string | undefined) => Domain | undefined {
  if (config.anyHost) {
    return (host) => (host === undefined ? undefined : domains.find(host)) ?? domains.default
  }
  const ownPort = config.baseUrl.startsWith('https:') ? /:(?:443)?$/ : /:(?:80)?$/
  /** Normalizes the host: removes the trailing dot and the scheme's default port. */
  const normalized = (host: string) => host.replace(ownPort, '').replace(/\.(?=$|:)/, '')
  return (host) => (host === undefined ? undefined : (domains.find(host) ?? domains.find(normalized(host))))
}

/** Without the leading slash and the query. */
function pathOf(url: string): string {
  const queryAt = url.indexOf('?')
  return queryAt === -1 ? url.slice(1) : url.slice(1, queryAt)
}

function isReserved(path: string): boolean {
  // With its version: imported links with the back-half `scim` may be older than SCIM.
  if (path.startsWith('scim/v2/')) return true
  const end = path.indexOf('/')
  return reservedSegments.has(end === -1 ? path : path.slice(0, end))
}

interface Asked {
  readonly domain: Domain
  readonly address: string
  /** The domain itself: the address has an empty back-half. */
  readonly isRoot: boolean
  /** A trailing `+`: the information page instead of the redirect. */
  readonly information: boolean
  /** `r=qr` in the query marks a scanned QR code, and the guid of a site a button on it. */
  readonly kind: 'click' | 'scan' | 'button'
  /** The guid; empty if there is none. */
  readonly site: string
  /** With its question mark; empty if there is none. */
  readonly query: string
}

/**
 * Parses a path. The exact path first; only before a 404 is trailing punctuation removed, which people paste along with
 * links (docs/api/redirects.md#how-a-link-is-found).
 */
function askedFor(domain: Domain, path: string, query: string): Asked | undefined {
  const mark = query === '' ? undefined : visitMark.exec(query)?.[1]
  const kind = mark === undefined ? 'click' : mark === 'qr' ? 'scan' : 'button'
  const site = kind === 'button' ? (mark ?? '') : ''
  const isRoot = path === ''
  if (isRoot || isBackHalf(path)) {
    return { domain, address: `${domain.key}/${path}`, isRoot, information: false, kind, site, query }
  }
  if (path.length > maxPathLength || path === 'favicon.ico') return undefined
  const [, gs1BackHalf] = gs1Path.exec(path) ?? []
  if (gs1BackHalf !== undefined) {
    return { domain, address: `${domain.key}/${gs1BackHalf}`, isRoot, information: false, kind, site, query }
  }
  const trimmed = decoded(path).replace(trailingPunctuation, '')
  const information = trimmed.endsWith('+')
  const backHalf = information ? trimmed.slice(0, -1) : trimmed
  // Links that were imported from other products may have dots, several segments and letters of any script.
  if (!isBackHalf(backHalf) && !isForeignBackHalf(backHalf)) return undefined
  return { domain, address: `${domain.key}/${backHalf}`, isRoot, information, kind, site, query }
}

/** Destinations have parameters called `r` too, so that only a whole guid marks a button. */
const visitMark = /[?&]r=(qr|M[0-9A-Za-z]{10})(?:&|$)/

/** Punctuation, white space, zero-width characters and closing quotation marks. */
const trailingPunctuation = /[/.,;:!?)\]}>'"*\s\u00bb\u200b-\u200f\u2019\u201d\u2026\u2060]+$/

/** RFC 3986, 6.2.2.2: `%5F` is `_`, and mail programs write it. Invalid sequences stay unchanged. */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Redirect of a domain for requests without a link: 302, because its owner may change it at any time. */
function sendTo(send: Send, url: string): true {
  send(302, ['Location', asLocation(url), 'Cache-Control', 'private, max-age=90', 'Content-Length', '0'])
  return true
}

/** Redirect that a rule chose: 302 and no-store, because the next visit may lead elsewhere. */
function sendVisitorTo(send: Send, location: string): void {
  send(302, [
    'Location',
    location,
    'Cache-Control',
    'private, no-store',
    'Content-Length',
    '0',
    'Referrer-Policy',
    'unsafe-url',
    'X-Content-Type-Options',
    'nosniff',
  ])
}

/** The destination with the query of a visit behind its own, without what only marks a scan or a button. */
function withQuery(longUrl: string, query: string): string {
  if (query === '') return longUrl
  const pairs = query.slice(1).split('&')
  const passed = pairs.filter((pair) => pair !== '' && !visitMark.test(`?${pair}`)).join('&')
  if (passed === '') return longUrl
  const [page = '', ...fragments] = longUrl.split(/(?=#)/)
  return `${page}${page.includes('?') ? '&' : '?'}${passed}${fragments.join('')}`
}

/** Headers are ASCII only; other characters are percent-encoded, as a browser does. */
function asLocation(longUrl: string): string {
  return /[^\x21-\x7e]/.test(longUrl) ? new URL(longUrl).href : longUrl
}

function sendPage(send: Send, page: Page): true {
  send(page.status, page.headers, page.body)
  return true
}

/** Phones may cache it for an hour, so a new mobile app works soon enough. */
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
