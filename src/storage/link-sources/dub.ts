/**
 * Dub: links of its API with their click events. Plans without events have clicks per day instead. The CSV of its
 * dashboard is read by csv.ts.
 */
import type { ImportedClick, ImportedLink, InvalidRow, LinkSource } from '../../core/moving/imported-link.js'
import { type ApiClient, ApiError } from './api-client.js'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './json.js'
import { readTime } from './times.js'

const linksPerPage = 100
const eventsPerPage = 1000
const day = 86_400_000
/** Longer windows are answered per month. */
const longestWindow = 170 * day

export function dubSource(api: ApiClient, url: URL, now: number): LinkSource {
  let done = 0
  /** The plan of the workspace decides what may be read, and how far back. */
  let detail: LinkSource['detail'] = 'single clicks'

  async function* all(): AsyncGenerator<Fields> {
    done = 0
    for (let startingAfter: string | undefined; ; ) {
      const query = { pageSize: linksPerPage, showArchived: 'true', sortBy: 'createdAt', startingAfter }
      const links = listOf(await api.get('/links', query))
      for (const link of links) {
        done += 1
        yield link
      }
      startingAfter = textOf(links.at(-1)?.id)
      if (links.length < linksPerPage || startingAfter === undefined) return
    }
  }

  async function* eventsOf(link: Fields): AsyncGenerator<ImportedClick> {
    const end = new Date(now).toISOString()
    const start = textOf(link.createdAt)
    for (let page = 1; ; page++) {
      const filter = { event: 'clicks', linkId: textOf(link.id), start, end }
      const events = listOf(await api.get('/events', { ...filter, page, limit: eventsPerPage, sortOrder: 'asc' }))
      for (const event of events) yield* clickOf(link, event)
      if (events.length < eventsPerPage) return
    }
  }

  async function* daysOf(link: Fields): AsyncGenerator<ImportedClick> {
    const created = readTime(textOf(link.createdAt)) ?? now
    for (let from = created - (created % day); from <= now; from += longestWindow) {
      const end = new Date(Math.min(now, from + longestWindow - 1)).toISOString()
      const filter = { event: 'clicks', groupBy: 'timeseries', timezone: 'UTC', linkId: textOf(link.id) }
      for (const bucket of listOf(
        await api.get('/analytics', { ...filter, start: new Date(from).toISOString(), end }),
      )) {
        const [at, count] = [readTime(textOf(bucket.start)), numberOf(bucket.clicks)]
        if (at !== undefined && count > 0) yield { ...addressOf(link), at: at - (at % day), count }
      }
    }
  }

  return {
    format: `Dub, API of ${url.host}`,
    name: 'dub',
    get detail() {
      return detail
    },
    clicksByLink: true,
    async *links() {
      for await (const link of all()) yield linkOf(link, done)
    },
    async *clicks() {
      for await (const link of all()) {
        if (numberOf(link.clicks) === 0) continue
        for (;;) {
          try {
            yield* detail === 'single clicks'
              ? eventsOf(link)
              : detail === 'clicks per day'
                ? daysOf(link)
                : totalOf(link)
            break
          } catch (error) {
            // The first request for a link is refused, so nothing of it was read.
            if (!isRefusal(error)) throw error
            detail = detail === 'single clicks' ? 'clicks per day' : 'totals'
          }
        }
      }
    },
    progress: () => ({ done, of: undefined }),
    async close() {},
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 402 || error.status === 403)
}

/** All clicks at the time of the creation. */
function* totalOf(link: Fields): Generator<ImportedClick> {
  const at = readTime(textOf(link.createdAt))
  if (at !== undefined) yield { ...addressOf(link), at, count: numberOf(link.clicks) }
}

function addressOf({ domain, key }: Fields) {
  return { domain: textOf(domain)?.toLowerCase(), backHalf: textOf(key) ?? '' }
}

function linkOf(link: Fields, row: number): ImportedLink | InvalidRow {
  const address = addressOf(link)
  const text = `${address.domain}/${address.backHalf}`
  // The link of the bare domain.
  if (address.backHalf === '_root') return { row, text, reason: 'set the destination of a bare domain by "domain set"' }
  if (textOf(link.password)) return { row, text, reason: 'this link has a password, which links here cannot have' }
  return {
    row,
    ...address,
    longUrl: textOf(link.url) ?? '',
    createdAt: readTime(textOf(link.createdAt)),
    title: textOf(link.title),
    tags: listOf(link.tags).flatMap(({ name }) => textOf(name) ?? []),
    archived: link.archived === true,
    expiresAt: readTime(textOf(link.expiresAt)),
    note: textOf(link.comments) ?? textOf(link.description),
  }
}

function* clickOf(link: Fields, event: Fields): Generator<ImportedClick> {
  const at = readTime(textOf(event.timestamp))
  if (at === undefined) return
  // Older versions have the fields of the click in the event itself.
  const { country, region, city, ua, refererUrl, referer, qr } = { ...event, ...fieldsOf(event.click) } as Fields
  const from = textOf(refererUrl) ?? textOf(referer)
  yield {
    ...addressOf(link),
    at,
    kind: qr === true || qr === 1 ? 'scan' : 'click',
    country: known(country),
    region: known(region),
    city: known(city),
    userAgent: textOf(ua),
    referrer: from === '(direct)' ? undefined : from,
  }
}

function known(value: unknown): string | undefined {
  return value === 'Unknown' ? undefined : textOf(value)
}
