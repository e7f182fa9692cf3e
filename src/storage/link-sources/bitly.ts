/** Bitly: links of all groups of a token with their clicks per day, by its API, version 4. Its CSV is read by csv.ts. */
import type { ImportedClick, ImportedLink, LinkSource, SourceAddress } from '../../core/imports/imported-link.js'
import { type ApiClient, ApiError } from './api-client.js'
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './json.js'
import { readShortUrl } from './short-url.js'
import { readTime } from './times.js'

const linksPerPage = 100

/** A limit of the plan, which ends with the month. The ones per minute and hour are called RATE_LIMIT_EXCEEDED. */
export const bitlyMonthlyLimit = /\b(?:API_USAGE|MONTHLY_\w*)_?LIMIT/

export function bitlySource(api: ApiClient, url: URL, note: (line: string) => void): LinkSource {
  let done = 0
  /** Known when all links were read once. */
  let total: number | undefined
  let isRefused = false

  async function* all(): AsyncGenerator<Fields> {
    done = 0
    for (const { guid, is_active: isActive } of listOf(fieldsOf(await api.get('/v4/groups')).groups)) {
      if (isActive === false) continue
      for (let after: string | undefined; ; ) {
        const query = { size: linksPerPage, archived: 'both', search_after: after }
        const { links, pagination } = fieldsOf(await api.get(`/v4/groups/${textOf(guid)}/bitlinks`, query))
        for (const link of listOf(links)) {
          done += 1
          yield link
        }
        after = textOf(fieldsOf(pagination).search_after) || undefined
        if (after === undefined || listOf(links).length === 0) break
      }
    }
  }

  /** Newest first in the API, oldest first here. Days are those of UTC. */
  async function* daysOf(address: SourceAddress, path: string): AsyncGenerator<ImportedClick> {
    const query = { unit: 'day', units: -1 }
    const { link_clicks: days } = fieldsOf(await api.get(`${path}/clicks`, query).catch(nothingIfRefused(path)))
    for (const { date, clicks } of listOf(days).toReversed()) {
      const at = readTime(textOf(date))
      const count = numberOf(clicks)
      if (at !== undefined && count > 0) yield { ...address, at, count }
    }
  }

  /** Clicks of custom back-halves need a plan, and old links may have none. */
  function nothingIfRefused(path: string): (error: unknown) => undefined {
    return (error) => {
      if (!(error instanceof ApiError && [402, 403, 404, 410].includes(error.status))) throw error
      if (!isRefused)
        note(`Some clicks are not imported: for ${path.slice('/v4/'.length)}, Bitly answered ${error.reason}.`)
      isRefused = true
    }
  }

  return {
    format: `Bitly, API of ${url.host}`,
    name: 'bitly',
    detail: 'clicks per day',
    clicksByLink: true,
    async *links() {
      for await (const link of all()) yield* linksOf(link, done)
      total = done
    },
    async *clicks() {
      for await (const link of all()) {
        const address = readShortUrl(textOf(link.id) ?? '')
        if (address) yield* daysOf(address, `/v4/bitlinks/${textOf(link.id)}`)
        for (const custom of customOf(link)) {
          yield* daysOf(custom, `/v4/custom_bitlinks/${custom.domain}/${encodeURIComponent(custom.backHalf)}`)
        }
      }
    },
    progress: () => ({ done, of: total }),
    async close() {},
  }
}

/** Custom back-halves, in the order they were made. */
function customOf({ custom_bitlinks: custom }: Fields): readonly SourceAddress[] {
  return Array.isArray(custom) ? custom.flatMap((written) => readShortUrl(String(written)) ?? []).toReversed() : []
}

/** A custom back-half on another domain is a link of its own. */
function* linksOf(link: Fields, row: number): Generator<ImportedLink> {
  const address = readShortUrl(textOf(link.id) ?? textOf(link.link) ?? '') ?? { domain: undefined, backHalf: '' }
  const custom = customOf(link)
  const details = {
    row,
    longUrl: textOf(link.long_url) ?? '',
    createdAt: readTime(textOf(link.created_at)),
    title: textOf(link.title),
    tags: Array.isArray(link.tags) ? link.tags.map(String) : [],
    archived: link.archived === true,
    expiresAt: readTime(textOf(link.expiration_at)),
  }
  yield { ...details, ...address, customBackHalves: custom.filter(({ domain }) => domain === address.domain) }
  for (const other of custom) if (other.domain !== address.domain) yield { ...details, ...other }
}
