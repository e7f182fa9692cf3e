/** Shlink: short URLs and visits of its REST API, version 3. The CSV of its web client is read by csv.ts. */
import type { ImportedClick, ImportedLink, InvalidRow, LinkSource } from '../../core/imports/imported-link.js'
import { type ApiClient, ApiError } from './api-client.js'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './json.js'
import { readShortUrl } from './short-url.js'
import { readTime } from './times.js'

const linksPerPage = 500
const visitsPerPage = 1000

export function shlinkSource(api: ApiClient, url: URL, now: number): LinkSource {
  // Later ones would move from page to page while they are read. Shlink's times have whole seconds: the last second may
  // get more.
  const until = new Date(now - (now % 1000) - 1000).toISOString()
  let progress: { done: number; of: number | undefined } = { done: 0, of: undefined }

  async function* shortUrls(): AsyncGenerator<Fields> {
    progress = { done: 0, of: undefined }
    for (let page = 1; ; page++) {
      // Not by date: links of the same second would change places between pages.
      const query = { page, itemsPerPage: linksPerPage, orderBy: 'shortCode-ASC', endDate: until }
      const { data, pagination } = fieldsOf(fieldsOf(await api.get('/rest/v3/short-urls', query)).shortUrls)
      const { pagesCount, totalItems } = fieldsOf(pagination)
      for (const shortUrl of listOf(data)) {
        progress = { done: progress.done + 1, of: numberOf(totalItems) }
        yield shortUrl
      }
      if (page >= numberOf(pagesCount)) return
    }
  }

  /** Newest first in the API, oldest first here. */
  async function* visitsOf(shortUrl: Fields): AsyncGenerator<ImportedClick> {
    const address = addressOf(shortUrl)
    const path = `/rest/v3/short-urls/${encodeURIComponent(textOf(shortUrl.shortCode) ?? '')}/visits`
    const read = async (page: number) => {
      const domain = textOf(shortUrl.domain)
      const query = { page, itemsPerPage: visitsPerPage, endDate: until, domain }
      return fieldsOf(fieldsOf(await api.get(path, query)).visits)
    }
    const first = await read(1)
    for (let page = numberOf(fieldsOf(first.pagination).pagesCount); page >= 1; page--) {
      const { data } = page === 1 ? first : await read(page)
      for (const visit of listOf(data).toReversed()) yield* clickOf(address, visit)
    }
  }

  return {
    format: `Shlink, REST API of ${url.host}`,
    name: `shlink ${url.host}`,
    detail: 'single clicks',
    clicksByLink: true,
    async *links() {
      for await (const shortUrl of shortUrls()) yield linkOf(shortUrl, progress.done)
    },
    async *clicks() {
      for await (const shortUrl of shortUrls()) {
        if (visitCount(shortUrl) === 0) continue
        try {
          yield* visitsOf(shortUrl)
        } catch (error) {
          // The short URL was deleted meanwhile.
          if (!(error instanceof ApiError && error.status === 404)) throw error
        }
      }
    },
    progress: () => progress,
    async close() {},
  }
}

function addressOf(shortUrl: Fields) {
  const domain = readShortUrl(textOf(shortUrl.shortUrl) ?? '')?.domain ?? textOf(shortUrl.domain)?.toLowerCase()
  return { domain, backHalf: textOf(shortUrl.shortCode) ?? '' }
}

function linkOf(shortUrl: Fields, row: number): ImportedLink | InvalidRow {
  const { longUrl, title, dateCreated, tags, meta } = shortUrl
  return {
    row,
    ...addressOf(shortUrl),
    longUrl: textOf(longUrl) ?? '',
    createdAt: readTime(textOf(dateCreated)),
    title: textOf(title),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    expiresAt: readTime(textOf(fieldsOf(meta).validUntil)),
  }
}

/** Older versions have `visitsCount` alone. */
function visitCount({ visitsSummary, visitsCount }: Fields): number {
  return numberOf(fieldsOf(visitsSummary).total ?? visitsCount)
}

function* clickOf(address: { domain: string | undefined; backHalf: string }, visit: Fields): Generator<ImportedClick> {
  const at = readTime(textOf(visit.date))
  if (at === undefined) return
  const { countryCode, regionName, cityName } = fieldsOf(visit.visitLocation)
  yield {
    ...address,
    at,
    country: textOf(countryCode),
    region: textOf(regionName),
    city: textOf(cityName),
    userAgent: textOf(visit.userAgent),
    referrer: textOf(visit.referer),
  }
}
