/**
 * Dub: links of its API with their click events. Plans without events have clicks per day instead. The CSV of its
 * dashboard is read by csv.ts.
 */
import type { ImportedClick, ImportedLink, InvalidRow, LinkSource } from '../../core/imports/imported-link.js'
import { OperatorError } from '../../lib/operator-error.js'
import { type ApiClient, ApiError } from './api-client.js'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './json.js'
import { readTime } from './times.js'

const linksPerPage = 100
const foldersPerPage = 50
const eventsPerPage = 1000
const day = 86_400_000
/** Longer windows are answered per month. */
const longestWindow = 170 * day
/** Earlier times are refused. Links that Dub imported itself may be older. */
const firstDay = Date.UTC(2022, 8, 22)

type Detail = Exclude<LinkSource['detail'], 'clicks per hour'>

export interface DubOptions {
  readonly now: number
  /** Tells people what is left out. */
  readonly note: (line: string) => void
}

export function dubSource(api: ApiClient, url: URL, { now, note }: DubOptions): LinkSource {
  let done = 0
  /** Known when all links were read once. */
  let total: number | undefined
  /** The plan of the workspace decides what may be read, and how far back. */
  let detail: Detail = 'single clicks'

  async function* all(): AsyncGenerator<Fields> {
    done = 0
    for await (const folderId of folders()) {
      for await (const link of linksIn(folderId)) {
        done += 1
        yield link
      }
    }
  }

  /** A list of links has those of one folder. Undefined: those without a folder. */
  async function* folders(): AsyncGenerator<string | undefined> {
    yield undefined
    for (let page = 1; ; page++) {
      const found = listOf(await api.get('/folders', { page, pageSize: foldersPerPage }).catch(noFolders))
      for (const { id } of found) yield textOf(id)
      if (found.length < foldersPerPage) return
    }
  }

  /** Older versions have no folders, and a key may be for links only. */
  function noFolders(error: unknown): undefined {
    if (!(error instanceof ApiError && [403, 404].includes(error.status))) throw error
    if (error.status === 403)
      note(`Links in folders are not imported, because the key may not read folders: ${error.reason}.`)
  }

  /**
   * Lists begin with the latest link, but cursors go by id, which has another order when Dub imported links itself. So from
   * any link on in both directions.
   */
  async function* linksIn(folderId: string | undefined): AsyncGenerator<Fields> {
    const query = { showArchived: 'true', sortBy: 'createdAt', folderId }
    const [any] = listOf(await api.get('/links', { ...query, pageSize: 1 }))
    if (!any) return
    yield any
    for (const direction of ['startingAfter', 'endingBefore'] as const) {
      for (let cursor = textOf(any.id); ; ) {
        const links = listOf(await api.get('/links', { ...query, pageSize: linksPerPage, [direction]: cursor }))
        if (links.some(({ id }) => id === cursor)) throw new OperatorError(noCursors)
        yield* links
        if (links.length < linksPerPage) break
        cursor = textOf(links.at(direction === 'startingAfter' ? -1 : 0)?.id)
      }
    }
  }

  async function* eventsOf(link: Fields): AsyncGenerator<ImportedClick> {
    const end = new Date(now).toISOString()
    const start = new Date(firstTime(link)).toISOString()
    for (let page = 1; ; page++) {
      const filter = { event: 'clicks', linkId: textOf(link.id), start, end }
      const events = listOf(await api.get('/events', { ...filter, page, limit: eventsPerPage, sortOrder: 'asc' }))
      for (const event of events) yield* clickOf(link, event)
      if (events.length < eventsPerPage) return
    }
  }

  async function* daysOf(link: Fields): AsyncGenerator<ImportedClick> {
    const first = firstTime(link)
    for (let from = first - (first % day); from <= now; from += longestWindow) {
      const end = new Date(Math.min(now, from + longestWindow - 1)).toISOString()
      const filter = { event: 'clicks', groupBy: 'timeseries', timezone: 'UTC', linkId: textOf(link.id) }
      for (const bucket of listOf(
        await api.get('/analytics', { ...filter, start: new Date(from).toISOString(), end }),
      )) {
        const at = readTime(textOf(bucket.start))
        const count = numberOf(bucket.clicks)
        if (at !== undefined && count > 0) yield { ...addressOf(link), at: at - (at % day), count }
      }
    }
  }

  const readers: Readonly<Record<Detail, (link: Fields) => AsyncIterable<ImportedClick>>> = {
    'single clicks': eventsOf,
    'clicks per day': daysOf,
    totals: totalOf,
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
      total = done
    },
    async *clicks() {
      for await (const link of all()) {
        if (numberOf(link.clicks) === 0) continue
        for (let read = 0; ; ) {
          try {
            for await (const click of readers[detail](link)) {
              read += 1
              yield click
            }
            break
          } catch (error) {
            // Only the first request for a link may be refused: nothing of it was read.
            if (!isRefusal(error) || read > 0) throw error
            const less = detail === 'single clicks' ? 'clicks per day' : 'totals'
            note(`Importing ${less} instead of ${detail}: Dub answered ${error.reason}.`)
            detail = less
          }
        }
      }
    },
    progress: () => ({ done, of: total }),
    async close() {},
  }
}

const noCursors =
  'This version of Dub cannot list more than 100 links. Update it, or export a CSV file from its dashboard.'

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 402 || error.status === 403)
}

function firstTime({ createdAt }: Fields): number {
  return Math.max(firstDay, readTime(textOf(createdAt)) ?? firstDay)
}

/** All clicks at the time of the creation. */
async function* totalOf(link: Fields): AsyncGenerator<ImportedClick> {
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
  if (textOf(link.disabledAt)) return { row, text, reason: 'this link is disabled, so it must not redirect' }
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
