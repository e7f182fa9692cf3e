import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small server that answers like another product, and fails now and then. */
export interface OtherService {
  readonly url: string
  /** The next request for a path with this text gets an answer that no repetition changes. */
  refuseOnce(part: string): void
  close(): Promise<void>
}

/** Undefined: 404. */
type Answer = (path: string, query: URLSearchParams) => unknown

/** How a product answers, and how it refuses. */
export interface OtherProduct {
  /** Whether the key or token is right: `secret-key`. */
  readonly authorized: (request: IncomingMessage) => boolean
  readonly unauthorized: Refused
  readonly notFound: unknown
  /** Undefined: the product does not say how long to wait, which no test has the time for. */
  readonly tooMany?: () => Refused
  readonly answer: Answer
}

export async function startOtherService(product: OtherProduct): Promise<OtherService> {
  let requests = 0
  let refused: string | undefined
  const server = createServer((request, response) => {
    requests += 1
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (!product.authorized(request)) return send(response, product.unauthorized)
    // The third request is one too many, the fifth meets a failure, and the seventh loses its connection.
    const tooMany = requests === 3 ? product.tooMany?.() : undefined
    if (tooMany) return send(response, tooMany)
    if (requests === 5) return send(response, new Refused(500, 'not even JSON'))
    if (requests === 7) return request.socket.destroy()
    if (refused !== undefined && pathname.includes(refused)) {
      refused = undefined
      return send(response, new Refused(400, { message: 'BAD_REQUEST' }))
    }
    const body = product.answer(decodeURIComponent(pathname), searchParams)
    if (body instanceof Refused) return send(response, body)
    send(response, body === undefined ? new Refused(404, product.notFound) : new Refused(200, body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuseOnce(part) {
      refused = part
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class Refused {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

function send(response: ServerResponse, { status, body, headers }: Refused): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function hasToken({ headers }: IncomingMessage): boolean {
  return headers.authorization === 'Bearer secret-key'
}

/**
 * Shlink, REST API version 3: pages of short URLs, and of visits with the newest first. It has no rate limit; a proxy in
 * front of it may have one. What has the same place in an order changes places between pages, as in databases.
 */
export function shlink(shortUrls: readonly ShlinkUrl[], host: string): OtherProduct {
  const problem = (status: number, code: string, title: string, detail: string) => ({
    type: `https://shlink.io/api/error/${code}`,
    title,
    detail,
    status,
  })
  let lists = 0
  return {
    authorized: (request) => request.headers['x-api-key'] === 'secret-key',
    unauthorized: new Refused(
      401,
      problem(401, 'invalid-api-key', 'Invalid API key', 'Provided API key does not exist or is invalid.'),
    ),
    notFound: problem(404, 'short-url-not-found', 'Short URL not found', 'No URL found with short code "x"'),
    tooMany: () => new Refused(429, '<html>', { 'retry-after': '1', 'content-type': 'text/html' }),
    answer(path, query) {
      const page = Number(query.get('page'))
      // The product decides how many it sends at most.
      const size = Math.min(2, Number(query.get('itemsPerPage')))
      const paged = (items: readonly unknown[]) => ({
        data: items.slice((page - 1) * size, page * size),
        pagination: {
          currentPage: page,
          pagesCount: Math.ceil(items.length / size),
          itemsPerPage: size,
          itemsInCurrentPage: items.slice((page - 1) * size, page * size).length,
          totalItems: items.length,
        },
      })
      if (path === '/rest/v3/short-urls') {
        lists += 1
        const all = shortUrls.map((each) => shlinkFields(each, host))
        if (lists % 2 === 0) all.reverse()
        const field = String(query.get('orderBy')).replace(/-ASC$/, '') as 'shortCode' | 'dateCreated'
        return { shortUrls: paged(all.sort((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0))) }
      }
      const [, code] = /^\/rest\/v3\/short-urls\/(.+)\/visits$/.exec(path) ?? []
      const found = shortUrls.find(
        ({ shortCode, domain }) => shortCode === code && (domain ?? null) === query.get('domain'),
      )
      const until = Date.parse(query.get('endDate') ?? '')
      const visits = found?.visits.filter((date) => !(Date.parse(date) > until))
      return visits && { visits: paged(visits.toReversed().map(visitFields)) }
    },
  }
}

interface ShlinkUrl {
  readonly shortCode: string
  readonly longUrl: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly validUntil?: string
  /** Undefined: the default domain. */
  readonly domain?: string
  /** Times, oldest first. */
  readonly visits: readonly string[]
}

function shlinkFields(shortUrl: ShlinkUrl, host: string) {
  const { shortCode, longUrl, tags = [], title, validUntil, domain, visits } = shortUrl
  return {
    shortCode,
    shortUrl: `https://${domain ?? host}/${shortCode}`,
    longUrl,
    dateCreated: '2021-08-21T20:34:16+02:00',
    visitsSummary: { total: visits.length, nonBots: visits.length, bots: 0 },
    tags,
    meta: { validSince: null, validUntil: validUntil ?? null, maxVisits: null },
    domain: domain ?? null,
    title: title ?? null,
    crawlable: false,
    forwardQuery: true,
    hasRedirectRules: false,
  }
}

function visitFields(date: string) {
  return {
    referer: 'https://t.example/',
    date,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:120.0) Gecko/20100101 Firefox/120.0',
    visitLocation: {
      countryCode: 'US',
      countryName: 'United States',
      regionName: 'California',
      cityName: 'Cupertino',
      latitude: 37.3,
      longitude: -122,
      timezone: 'America/Los_Angeles',
      isEmpty: false,
    },
    potentialBot: false,
    visitedUrl: 'https://s.example/x',
    redirectUrl: null,
  }
}

interface DubLink {
  readonly key: string
  readonly url: string
  readonly archived?: boolean
  readonly tags?: readonly string[]
  readonly folder?: string
  readonly createdAt?: string
  readonly disabledAt?: string
  /** Times. */
  readonly clicks: readonly string[]
}

/** What the plan of a workspace includes. */
export interface DubPlan {
  readonly events: boolean
  readonly analytics: boolean
}

/**
 * Dub: links of one folder at a time, the newest first, or by cursor in the order of their ids; events by page. A plan
 * without events has a series instead. Its Retry-After header is the time when the limit ends, in milliseconds.
 */
export function dub(links: readonly DubLink[], plan: DubPlan = { events: true, analytics: true }): OtherProduct {
  const refused = (status: number, code: string, message: string) =>
    new Refused(status, { error: { code, message, doc_url: `https://dub.co/docs/api-reference/errors#${code}` } })
  const byId = links.map((link, index) => ({ id: `link_${String(index).padStart(4, '0')}`, ...link })).toReversed()
  const createdAt = (link: DubLink) => link.createdAt ?? defaultCreation
  const byDate = byId.toSorted((a, b) => (createdAt(a) > createdAt(b) ? -1 : createdAt(a) < createdAt(b) ? 1 : 0))
  const folders = [...new Set(links.flatMap(({ folder }) => folder ?? []))]
  const page = <T>(all: readonly T[], query: URLSearchParams, size: number) => {
    const from = (Number(query.get('page') ?? 1) - 1) * size
    return all.slice(from, from + size)
  }
  const pageOfLinks = (query: URLSearchParams) => {
    const size = Number(query.get('pageSize') ?? 100)
    if (size > 100) return refused(422, 'unprocessable_entity', 'too_big: pageSize: Max page size is 100.')
    const [after, before] = [query.get('startingAfter'), query.get('endingBefore')]
    const fits = ({ folder, archived }: DubLink) =>
      (folder ?? null) === query.get('folderId') && (!archived || query.get('showArchived') === 'true')
    if (after === null && before === null) return page(byDate.filter(fits), query, size).map(dubFields)
    const own = byId.filter(fits)
    const at = own.findIndex(({ id }) => id === (after ?? before))
    if (at < 0) return refused(422, 'unprocessable_entity', 'Invalid cursor: the provided ID does not exist.')
    return (after !== null ? own.slice(at + 1, at + 1 + size) : own.slice(Math.max(0, at - size), at)).map(dubFields)
  }
  return {
    authorized: hasToken,
    unauthorized: refused(401, 'unauthorized', 'Unauthorized: Invalid API key.'),
    notFound: { error: { code: 'not_found', message: 'The requested resource was not found.' } },
    tooMany: () =>
      new Refused(429, refused(429, 'rate_limit_exceeded', 'Too many requests.').body, {
        'retry-after': String(Date.now() + 1000),
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Date.now() + 1000),
      }),
    answer(path, query) {
      if (path === '/links') return pageOfLinks(query)
      if (path === '/folders') {
        const found = folders.map((id) => ({ id, name: `Folder ${id}`, type: 'default', accessLevel: 'write' }))
        return page(found, query, Number(query.get('pageSize') ?? 50))
      }
      const [start, end] = [query.get('start') ?? '', query.get('end') ?? '']
      if (start < '2022-09-22')
        return refused(
          422,
          'unprocessable_entity',
          'custom: start: The start date cannot be earlier than Sep 22, 2022.',
        )
      const link = byId.find(({ id }) => id === query.get('linkId'))
      // From the beginning of the first day to the end of the last one.
      const clicks = (link?.clicks ?? []).filter(
        (at) => at.slice(0, 10) >= start.slice(0, 10) && at.slice(0, 10) <= end.slice(0, 10),
      )
      if (path === '/events') {
        if (!plan.events) return refused(403, 'forbidden', 'Unauthorized: Need higher plan.')
        return page(clicks, query, Number(query.get('limit') ?? 100)).map(dubEvent)
      }
      if (path !== '/analytics') return undefined
      if (!plan.analytics)
        return refused(403, 'forbidden', 'You can only get analytics for up to 30 days on a Free plan.')
      const days = new Map<string, number>()
      for (const at of clicks) days.set(at.slice(0, 10), (days.get(at.slice(0, 10)) ?? 0) + 1)
      return [...days].map(([day, count]) => ({ start: `${day}T00:00:00.000Z`, clicks: count }))
    },
  }
}

const defaultCreation = '2024-01-01T00:00:00.000Z'

function dubFields(link: DubLink & { readonly id: string }) {
  const { id, key, url, archived = false, tags = [], folder = null, createdAt = defaultCreation, clicks } = link
  return {
    id,
    domain: 'dub.example',
    key,
    url,
    folderId: folder,
    archived,
    expiresAt: null,
    expiredUrl: null,
    disabledAt: link.disabledAt ?? null,
    password: key === 'secret' ? 'hash' : null,
    title: `Title of ${key}`,
    description: null,
    comments: 'a comment',
    tags: tags.map((name) => ({ id: `tag_${name}`, name, color: 'red' })),
    shortLink: `https://dub.example/${key}`,
    clicks: clicks.length,
    createdAt,
  }
}

function dubEvent(timestamp: string) {
  return {
    event: 'click',
    timestamp,
    click: {
      id: timestamp,
      timestamp,
      country: 'DE',
      city: 'Ulm',
      region: 'DE-BW',
      referer: '(direct)',
      refererUrl: '(direct)',
      ua: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
      qr: false,
    },
  }
}

interface BitlyLink {
  readonly id: string
  readonly longUrl: string
  readonly custom?: readonly string[]
  readonly tags?: readonly string[]
  readonly archived?: boolean
  /** Clicks of each address and day. */
  readonly days: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Bitly, version 4: groups, links by cursor, clicks per day with the newest first. */
export function bitly(links: readonly BitlyLink[]): OtherProduct {
  const answer: Answer = (path, query) => {
    if (path === '/v4/groups')
      return {
        groups: [
          { guid: 'Ba1bc23dE4F', name: 'One', is_active: true, organization_guid: 'Oa1bc23dE4F' },
          { guid: 'Ba1bc23dE4G', name: 'Empty', is_active: true, organization_guid: 'Oa1bc23dE4F' },
          { guid: 'Ba1bc23dE4H', name: 'Closed', is_active: false, organization_guid: 'Oa1bc23dE4F' },
        ],
      }
    if (path.includes('Ba1bc23dE4H')) return new Refused(403, { message: 'FORBIDDEN', resource: 'groups' })
    const [, group] = /^\/v4\/groups\/(\w+)\/bitlinks$/.exec(path) ?? []
    if (group !== undefined) {
      const own =
        group === 'Ba1bc23dE4F' ? links.filter((link) => !link.archived || query.get('archived') === 'both') : []
      const from = Number(query.get('search_after') ?? 0)
      const next = from + 2 < own.length ? String(from + 2) : ''
      return {
        links: own.slice(from, from + 2).map(bitlyFields),
        pagination: {
          next: next && `https://api-ssl.bitly.com${path}?search_after=${next}`,
          search_after: next,
          size: 2,
        },
      }
    }
    const [, address] = /^\/v4\/(?:custom_)?bitlinks\/(.+)\/clicks$/.exec(path) ?? []
    if (path.includes('custom_') && !links.some(({ days }) => (address ?? '') in days))
      return new Refused(402, {
        message: 'UPGRADE_REQUIRED',
        resource: 'custom_bitlinks',
        description: 'This feature needs another plan.',
      })
    const days = links.find((link) => address !== undefined && address in link.days)?.days[address ?? '']
    if (address === undefined || query.get('unit') !== 'day' || query.get('units') !== '-1') return undefined
    const series = Object.entries(days ?? {}).map(([date, clicks]) => ({ clicks, date: `${date}T00:00:00+0000` }))
    return { unit: 'day', units: -1, unit_reference: '2024-06-01T00:00:00+0000', link_clicks: series.toReversed() }
  }
  return {
    authorized: hasToken,
    unauthorized: new Refused(403, { message: 'FORBIDDEN' }),
    notFound: { message: 'NOT_FOUND', resource: 'bitlinks', description: 'What you are looking for cannot be found.' },
    answer,
  }
}

function bitlyFields({ id, longUrl, custom = [], tags = [], archived = false }: BitlyLink) {
  return {
    created_at: '2022-07-01T12:00:00+0000',
    id,
    link: `https://${id}`,
    custom_bitlinks: custom.map((each) => `https://${each}`),
    long_url: longUrl,
    title: `Title of ${id}`,
    archived,
    created_by: 'somebody',
    client_id: '',
    tags,
    deeplinks: [],
    references: { group: 'https://api-ssl.bitly.com/v4/groups/Ba1bc23dE4F' },
  }
}
