/** What can be compared: for each kind, what there is to choose from, and how the chosen ones are counted. */
import { keepPreviousData, queryOptions, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { ApiError, api, ask } from '../../api/client.js'
import { linkTagsQuery } from '../../api/queries.js'
import { compareTexts } from '../../texts/compare.js'
import { channelsQuery } from '../create/queries.js'
import { linkQuery, pathOf, shownAddress } from '../link/queries.js'
import { campaignsQuery, linksQuery } from '../links/queries.js'
import type { Compared } from './compared.js'
import type { FilterName } from './dimensions.js'
import { writeFilter } from './filters.js'
import { periodOf } from './period.js'
import type { AnalyticsSearch, ComparedKind } from './search.js'
import { datesLabel } from './span-label.js'

/** Filters that cannot be combined with what is compared. */
export const ownFilters: Readonly<Record<ComparedKind, readonly FilterName[]>> = {
  links: ['link', 'tag'],
  tags: ['tag'],
  campaigns: [],
  channels: ['link'],
  periods: [],
}

/** Periods to choose from: with four weeks, a year. */
const offeredPeriods = 14
/** Values that a filter of the API takes. */
const maxLinks = 100

interface Comparable {
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** In the order of the URL, with its ids as keys. What was deleted meanwhile is left out. */
  readonly chosen: readonly Compared[]
  /** Why something that was chosen is not compared. */
  readonly notes?: readonly string[]
  readonly isPending?: boolean
  readonly error?: unknown
}

interface Wanted {
  readonly kind: ComparedKind
  readonly group: string
  readonly ids: readonly string[]
  readonly search: AnalyticsSearch
  readonly zone: string
  /** That links are searched for. */
  readonly words: string
}

export function useComparable(wanted: Wanted): Comparable {
  const { kind } = wanted
  const byKind: Readonly<Record<ComparedKind, Comparable>> = {
    links: useLinks(wanted, kind === 'links'),
    tags: useTags(wanted, kind === 'tags'),
    campaigns: useCampaigns(wanted, kind === 'campaigns'),
    channels: useChannels(wanted, kind === 'channels'),
    periods: periods(wanted),
  }
  return byKind[kind]
}

function useLinks({ group, ids, words }: Wanted, enabled: boolean): Comparable {
  const listed = useInfiniteQuery({
    ...linksQuery(group, words ? { q: words } : {}),
    enabled,
    placeholderData: keepPreviousData,
  })
  const found = useQueries({
    queries: ids.map((id) => ({ ...linkQuery(group, pathOf(id).domain, pathOf(id).hash), enabled })),
  })
  const titles = found.map(({ data }) => data?.title)
  return {
    options: (listed.data?.pages[0]?.links ?? []).map((link) => ({
      value: link.id,
      label: `${shownAddress(link)} · ${link.title || link.long_url}`,
    })),
    chosen: found.flatMap(({ data }, place) => {
      const key = ids[place]
      if (!data || key === undefined) return []
      const { id, title } = data
      const address = shownAddress(data)
      const isAlone = titles.indexOf(title) === titles.lastIndexOf(title)
      const name = title ? (isAlone ? title : `${title} (${address})`) : address
      return [{ key, name, subject: { group, link: pathOf(id) } }]
    }),
    notes: ids.filter((_, place) => !found[place]?.data).map(compareTexts.gone),
    isPending: found.some(({ isPending }) => isPending),
    error: listed.error ?? found.find(({ error }) => error && !isGone(error))?.error,
  }
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && error.isMissing
}

function useTags({ group, ids }: Wanted, enabled: boolean): Comparable {
  const { data: tags = [], isPending, error } = useQuery({ ...linkTagsQuery(group), enabled })
  return {
    options: tags.map((tag) => ({ value: tag, label: tag })),
    chosen: ids
      .filter((tag) => tags.includes(tag))
      .map((tag) => ({ key: tag, name: tag, subject: { group }, filters: { tag: isOneOf([tag]) } })),
    notes: ids.filter((tag) => !tags.includes(tag)).map(compareTexts.gone),
    isPending,
    error,
  }
}

function useCampaigns({ group, ids }: Wanted, enabled: boolean): Comparable {
  const { data = [], isPending, error } = useQuery({ ...campaignsQuery(group), enabled })
  return {
    options: data.map(({ guid, name }) => ({ value: guid, label: name })),
    chosen: ids
      .flatMap((id) => data.find(({ guid }) => guid === id) ?? [])
      .map(({ guid, name }) => ({ key: guid, name, subject: { group, campaign: guid } })),
    notes: ids.filter((id) => data.every(({ guid }) => guid !== id)).map(compareTexts.gone),
    isPending,
    error,
  }
}

/** Channels have no report of their own in a group: their links are counted together. */
function useChannels({ group, ids }: Wanted, enabled: boolean): Comparable {
  const { data = [], isPending, error } = useQuery({ ...channelsQuery(group), enabled })
  const known = ids.flatMap((id) => data.find(({ guid }) => guid === id) ?? [])
  const links = useQueries({ queries: known.map(({ guid }) => channelLinksQuery(group, guid)) })
  const channels = known.map(({ guid, name }, place) => ({ guid, name, links: links[place]?.data }))
  return {
    options: data.map(({ guid, name }) => ({ value: guid, label: name })),
    chosen: channels.flatMap(({ guid, name, links: own }) =>
      own === undefined || own === 'too many' || own.length === 0
        ? []
        : [{ key: guid, name, subject: { group }, filters: { link: isOneOf(own) } }],
    ),
    notes: ids.flatMap((id) => {
      const channel = channels.find(({ guid }) => guid === id)
      if (!channel) return [compareTexts.gone(id)]
      const { name, links: own } = channel
      if (own === 'too many') return [compareTexts.tooManyLinks(name, maxLinks)]
      return own?.length === 0 ? [compareTexts.noLinks(name)] : []
    }),
    isPending: isPending || links.some((each) => each.isPending),
    error: error ?? links.find((each) => each.error)?.error,
  }
}

function channelLinksQuery(group_guid: string, channel_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'channels', channel_guid, 'links'],
    queryFn: async () => {
      const params = { path: { group_guid }, query: { channel_guid, size: maxLinks } } as const
      const { links, pagination } = await ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params }))
      return pagination.search_after ? ('too many' as const) : links.map(({ id }) => id)
    },
  })
}

function isOneOf(values: readonly string[]): string | undefined {
  return writeFilter({ isNot: false, values })
}

/** Ids are how many periods back: 0 is the chosen time. */
function periods({ group, ids, search, zone }: Wanted): Comparable {
  const nameOf = (back: number) => datesLabel(periodOf(search, zone, undefined, back), zone)
  const subject = { group }
  if (!periodOf(search, zone).before) {
    const notes = [compareTexts.noEarlier]
    return { options: [], chosen: [{ key: '0', name: nameOf(0), subject }], notes }
  }
  return {
    options: Array.from({ length: offeredPeriods }, (_, back) => ({ value: String(back), label: nameOf(back) })),
    chosen: ids
      .map((key) => ({ key, back: Number(key) }))
      .filter(({ back }) => Number.isInteger(back) && back >= 0 && back < offeredPeriods)
      .map(({ key, back }) => ({ key, name: nameOf(back), subject, back })),
  }
}
