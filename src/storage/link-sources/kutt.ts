/**
 * Kutt: its tables `links`, `domains` and `visits`, in its SQLite file or in a dump of PostgreSQL. Kutt counts visits per
 * link and hour, with the countries and referrers of the hour, each by themselves. Its default domain is in its
 * configuration, not in its tables.
 */
import type { ImportedClick, ImportedLink, InvalidRow, LinkSource } from '../../core/imports/imported-link.js'
import { fieldsOf } from './json.js'
import { readTime } from './times.js'
import type { TableLine } from './yourls.js'

/** Rows with the names of Kutt's columns. */
export interface KuttTables {
  readonly format: string
  domains(): AsyncIterable<TableLine>
  links(): AsyncIterable<TableLine>
  visits(): AsyncIterable<TableLine>
  progress: LinkSource['progress']
  close(): Promise<void>
}

export function kuttSource(tables: KuttTables): LinkSource {
  return {
    format: `Kutt, ${tables.format}`,
    name: 'kutt',
    detail: 'clicks per hour',
    clicksByLink: false,
    async *links() {
      const domains = await domainsIn(tables)
      for await (const row of tables.links()) yield linkOf(row, domains)
    },
    async *clicks() {
      const domains = await domainsIn(tables)
      // Visits name their link by its id alone.
      const links = new Map<string, { readonly domain: string | undefined; readonly backHalf: string }>()
      for await (const { get } of tables.links()) {
        links.set(get('id') ?? '', { domain: domains.get(get('domain_id') ?? ''), backHalf: get('address') ?? '' })
      }
      for await (const { get } of tables.visits()) {
        const link = links.get(get('link_id') ?? '')
        if (link) for (const visits of visitsOf(get)) yield { ...link, ...visits }
      }
    },
    progress: tables.progress,
    close: tables.close,
  }
}

async function domainsIn(tables: KuttTables): Promise<ReadonlyMap<string, string>> {
  const domains = new Map<string, string>()
  for await (const { get } of tables.domains()) domains.set(get('id') ?? '', (get('address') ?? '').toLowerCase())
  return domains
}

function linkOf({ line: row, get }: TableLine, domains: ReadonlyMap<string, string>): ImportedLink | InvalidRow {
  const backHalf = get('address') ?? ''
  const refused = refusalOf(get)
  if (refused !== undefined) return { row, reason: refused, text: backHalf }
  return {
    row,
    domain: domains.get(get('domain_id') ?? ''),
    backHalf,
    longUrl: get('target') ?? '',
    createdAt: readTime(get('created_at')),
    expiresAt: readTime(get('expire_in')),
    note: get('description'),
  }
}

/** Links that must not redirect freely. */
function refusalOf(get: TableLine['get']): string | undefined {
  if (isTrue(get('banned'))) return 'Kutt has banned this link'
  if (get('password')) return 'this link has a password, which links here cannot have'
  return undefined
}

function isTrue(value: string | undefined): boolean {
  return value === 't' || value === 'true' || value === '1'
}

type Visits = Omit<ImportedClick, 'domain' | 'backHalf'>

/**
 * The visits of an hour. How many visits had both this country and that referrer is not known: they are paired in order,
 * so that the figures of each country and of each referrer are exact.
 */
function* visitsOf(get: TableLine['get']): Generator<Visits> {
  const at = readTime(get('created_at'))
  const total = Number(get('total') ?? 0)
  if (at === undefined || !(total > 0)) return
  const countries = counted(get('countries'), total)
  const referrers = counted(get('referrers'), total)
  const hour = at - (at % 3_600_000)
  for (let [place, from, left] = [0, 0, total]; left > 0; ) {
    const [country, inCountry] = countries[place] ?? ['', left]
    const [referrer, fromReferrer] = referrers[from] ?? ['', left]
    const count = Math.min(inCountry, fromReferrer, left)
    yield { at: hour, count, country: countryOf(country), referrer: referrerOf(referrer) }
    left -= count
    if (take(countries[place], count)) place++
    if (take(referrers[from], count)) from++
  }
}

type Share = [string, number]

function counted(json: string | undefined, total: number): Share[] {
  const shares = Object.entries(fieldsOf(parsed(json)))
    .map(([name, count]): Share => [name, Number(count)])
    .filter(([, count]) => count > 0)
  const sum = shares.reduce((all, [, count]) => all + count, 0)
  return sum < total ? [...shares, ['', total - sum]] : shares
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}

/** Whether nothing is left of it. */
function take(share: Share | undefined, count: number): boolean {
  if (!share) return false
  share[1] -= count
  return share[1] <= 0
}

function countryOf(written: string): string | undefined {
  return /^[a-z]{2}$/i.test(written) ? written : undefined
}

/** Kutt stores the host, with `[dot]` for dots. */
function referrerOf(written: string): string | undefined {
  return written === '' || written === 'direct' ? undefined : `https://${written.replaceAll('[dot]', '.')}/`
}
