/** Filters of reports as callers write them, such as `is:DE,FR` or `is_not:Berlin` (docs/api/metrics.md#filters). */
import type { DimensionFilter } from '../clicks/metrics-query.js'
import type { Domains } from '../domains/domains.js'
import type { LinkStore } from '../links/link-store.js'
import type { TagStore } from '../links/tag-store.js'
import { tagSpelling } from '../links/tags.js'
import { parseAddress } from '../values/address.js'
import { invalid } from '../values/refusal.js'

export type WrittenFilter = Omit<DimensionFilter, 'by'>

const maxFilterValues = 100
export const maxFilterLength = 8192

/** Commas separate values; a backslash before a comma or a backslash makes it part of the value. */
export function parseFilter(field: string, text: string): WrittenFilter {
  const [, operator, list] = /^(is|is_not):(.*)$/s.exec(text) ?? []
  if (operator === undefined || list === undefined) {
    throw invalid(field, `Write the filter ${field} as is: or is_not: and values, such as is:one,two.`)
  }
  if (text.length > maxFilterLength) {
    throw invalid(field, `The filter ${field} is longer than ${maxFilterLength} characters.`)
  }
  const values = valuesIn(list)
  if (values.length > maxFilterValues) {
    throw invalid(field, `The filter ${field} has more than ${maxFilterValues} values.`)
  }
  return { operator: operator === 'is' ? 'is' : 'is_not', values }
}

function valuesIn(list: string): readonly string[] {
  const values = ['']
  for (const [part] of list.matchAll(/\\[\\,]|./gs)) {
    if (part === ',') values.push('')
    else values.push(`${values.pop()}${part.length > 1 ? part.slice(1) : part}`)
  }
  return [...new Set(values)]
}

export interface LinkFilterDeps {
  readonly links: Pick<LinkStore, 'addressesAt'>
  readonly domains: Domains
}

/** A link counts with all addresses that it has now, as in rankings. An address that nobody has keeps its own clicks. */
export async function linkFilter(
  { links, domains }: LinkFilterDeps,
  groupGuid: string,
  { operator, values }: WrittenFilter,
): Promise<DimensionFilter> {
  const written = values.map((value) => {
    const parsed = parseAddress(value)
    const address = parsed && domains.addressOf(parsed.domain, parsed.backHalf)
    if (address === undefined) throw invalid('link', 'Write links as <domain>/<back-half>.')
    return address
  })
  const own = await links.addressesAt(groupGuid, written, true)
  return { by: 'address', operator, values: [...new Set([...written, ...[...own.values()].flat()])] }
}

export interface TagFilterDeps {
  readonly tags: Pick<TagStore, 'addresses'>
}

// DuckDB compares so many addresses in 70 ms, and ten times as many in ten times the time; each query of a report does it.
const maxTaggedLinks = 20_000

/** The links that have one of the tags now, with all their addresses. */
export async function tagFilter(
  deps: TagFilterDeps,
  groupGuid: string,
  { operator, values }: WrittenFilter,
): Promise<DimensionFilter> {
  const found = await deps.tags.addresses(groupGuid, [...new Set(values.map(tagSpelling))], maxTaggedLinks)
  if (!found) {
    throw invalid('tag', `More than ${maxTaggedLinks} links have these tags. Filter by tags that fewer links have.`)
  }
  return { by: 'address', operator, values: found }
}
