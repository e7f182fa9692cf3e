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

export async function startOtherService(
  authorized: (request: IncomingMessage) => boolean,
  answer: Answer,
): Promise<OtherService> {
  let requests = 0
  let refused: string | undefined
  const server = createServer((request, response) => {
    requests += 1
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (!authorized(request)) return send(response, 401, { message: 'UNAUTHORIZED' })
    // The third request is one too many, the fifth meets a failure, and the seventh loses its connection.
    if (requests === 3) {
      response.setHeader('retry-after', '1')
      return send(response, 429, { message: 'RATE_LIMIT_EXCEEDED' })
    }
    if (requests === 5) return send(response, 500, 'not even JSON')
    if (requests === 7) return request.socket.destroy()
    if (refused !== undefined && pathname.includes(refused)) {
      refused = undefined
      return send(response, 400, { message: 'BAD_REQUEST' })
    }
    const body = answer(decodeURIComponent(pathname), searchParams)
    if (body instanceof Refused) return send(response, body.status, body.body)
    send(response, body === undefined ? 404 : 200, body ?? { message: 'NOT_FOUND' })
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
  ) {}
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Shlink, REST API version 3: pages of short URLs, and of visits with the newest first. */
export function shlinkAnswer(shortUrls: readonly ShlinkUrl[], host: string): Answer {
  return (path, query) => {
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
    if (path === '/rest/v3/short-urls') return { shortUrls: paged(shortUrls.map((each) => shlinkFields(each, host))) }
    const [, code] = /^\/rest\/v3\/short-urls\/(.+)\/visits$/.exec(path) ?? []
    const found = shortUrls.find(({ shortCode }) => shortCode === code)
    const until = Date.parse(query.get('endDate') ?? '')
    const visits = found?.visits.filter((date) => !(Date.parse(date) > until))
    return visits && { visits: paged(visits.toReversed().map(visitFields)) }
  }
}

interface ShlinkUrl {
  readonly shortCode: string
  readonly longUrl: string
  readonly tags?: readonly string[]
  readonly title?: string
  readonly validUntil?: string
  /** Times, oldest first. */
  readonly visits: readonly string[]
}

function shlinkFields({ shortCode, longUrl, tags = [], title, validUntil, visits }: ShlinkUrl, host: string) {
  return {
    shortCode,
    shortUrl: `https://${host}/${shortCode}`,
    longUrl,
    dateCreated: '2021-08-21T20:34:16+02:00',
    visitsSummary: { total: visits.length, nonBots: visits.length, bots: 0 },
    tags,
    meta: { validSince: null, validUntil: validUntil ?? null, maxVisits: null },
    domain: null,
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
    visitLocation: { cityName: 'Cupertino', countryCode: 'US', countryName: 'United States', regionName: 'California' },
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
  /** Times. */
  readonly clicks: readonly string[]
}

/** Dub: links by cursor, events by page; a plan without events has a series instead. */
export function dubAnswer(links: readonly DubLink[], hasEvents: boolean): Answer {
  const all = links.map((link, index) => ({ id: `link_${index}`, ...link }))
  return (path, query) => {
    if (path === '/links') {
      // All on one page, or after the cursor: the page size of the product is 100.
      const after = all.findIndex(({ id }) => id === query.get('startingAfter'))
      return all.slice(after + 1, after + 1 + Number(query.get('pageSize'))).map(dubFields)
    }
    const link = all.find(({ id }) => id === query.get('linkId'))
    if (path === '/events') {
      if (!hasEvents) return new Refused(403, { error: { code: 'forbidden', message: 'Need higher plan' } })
      const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))]
      return link?.clicks.slice((page - 1) * limit, page * limit).map(dubEvent)
    }
    if (path !== '/analytics') return undefined
    const [start, end] = [query.get('start') ?? '', query.get('end') ?? '']
    const days = new Map<string, number>()
    for (const at of link?.clicks ?? []) {
      if (at >= start && at <= end) days.set(at.slice(0, 10), (days.get(at.slice(0, 10)) ?? 0) + 1)
    }
    return [...days].map(([day, clicks]) => ({
      start: `${day}T00:00:00.000Z`,
      clicks,
      leads: 0,
      sales: 0,
      saleAmount: 0,
    }))
  }
}

function dubFields({ id, key, url, archived = false, tags = [], clicks }: DubLink & { readonly id: string }) {
  return {
    id,
    domain: 'dub.example',
    key,
    url,
    archived,
    expiresAt: null,
    password: key === 'secret' ? 'hash' : null,
    title: `Title of ${key}`,
    description: null,
    comments: 'a comment',
    tags: tags.map((name) => ({ id: `tag_${name}`, name, color: 'red' })),
    shortLink: `https://dub.example/${key}`,
    clicks: clicks.length,
    createdAt: '2024-01-01T00:00:00.000Z',
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
export function bitlyAnswer(links: readonly BitlyLink[]): Answer {
  return (path, query) => {
    if (path === '/v4/groups')
      return {
        groups: [
          { guid: 'Ba1bc23dE4F', name: 'One' },
          { guid: 'Ba1bc23dE4G', name: 'Empty' },
        ],
      }
    const [, group] = /^\/v4\/groups\/(\w+)\/bitlinks$/.exec(path) ?? []
    if (group !== undefined) {
      const own = group === 'Ba1bc23dE4F' ? links : []
      const from = Number(query.get('search_after') ?? 0)
      const next = from + 2 < own.length ? String(from + 2) : ''
      return { links: own.slice(from, from + 2).map(bitlyFields), pagination: { search_after: next, size: 2, next } }
    }
    const [, address] = /^\/v4\/(?:custom_)?bitlinks\/(.+)\/clicks$/.exec(path) ?? []
    const days = links.find((link) => address !== undefined && address in link.days)?.days[address ?? '']
    if (address === undefined || query.get('unit') !== 'day' || query.get('units') !== '-1') return undefined
    const series = Object.entries(days ?? {}).map(([date, clicks]) => ({ clicks, date: `${date}T00:00:00+0000` }))
    return { unit: 'day', units: -1, unit_reference: '2024-06-01T00:00:00+0000', link_clicks: series.toReversed() }
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
