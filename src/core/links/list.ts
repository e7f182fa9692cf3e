/** The links of a group, newest first and page by page: what a caller may ask for, and how a list is continued. */
import { type Actor, requireGroup } from '../auth/actor.js'
import type { CampaignStore } from '../campaigns/campaign-store.js'
import { viewCampaign } from '../campaigns/campaigns.js'
import { viewChannel } from '../campaigns/channels.js'
import type { Clock } from '../clock.js'
import type { Domains } from '../domains/domains.js'
import type { PlanCheckParts } from '../limits/plans.js'
import { invalid } from '../refusal.js'
import type { Link } from './link.js'
import type { LinkFilter, LinkListStore, Position } from './link-list-store.js'
import { parseDestination, wordsOf } from './search.js'

export interface ListParts extends PlanCheckParts {
  readonly linkLists: LinkListStore
  readonly campaigns: CampaignStore
  readonly domains: Domains
  readonly clock: Clock
}

/** What is not given does not matter. */
export interface ListWish {
  readonly size: number
  readonly searchAfter: string | undefined
  readonly query?: string | undefined
  readonly hostnamePathQuery?: string | undefined
  /** Epoch seconds. */
  readonly createdBefore?: number | undefined
  readonly createdAfter?: number | undefined
  readonly modifiedAfter?: number | undefined
  readonly domain?: string | undefined
  readonly archived?: boolean | undefined
  readonly private?: boolean | undefined
  readonly deeplinks?: boolean | undefined
  readonly domainDeeplinks?: boolean | undefined
  readonly customShortlink?: boolean | undefined
  readonly hasQrCodes?: boolean | undefined
  readonly isExpired?: boolean | undefined
  readonly hasExpiration?: boolean | undefined
  readonly hasDynamicRouting?: boolean | undefined
  readonly campaignGuid?: string | undefined
  readonly channelGuid?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly launchpadIds?: readonly string[] | undefined
  readonly encodingLogins?: readonly string[] | undefined
}

export interface ListedLinks {
  readonly links: readonly Link[]
  /** Continues the list; undefined at its end. */
  readonly searchAfter: string | undefined
}

export async function listLinks(
  parts: ListParts,
  actor: Actor,
  groupGuid: string,
  wish: ListWish,
): Promise<ListedLinks> {
  requireGroup(actor, groupGuid)
  const after = wish.searchAfter === undefined ? undefined : positionOf(wish.searchAfter)
  const filter = await filterFor(parts, actor, groupGuid, wish)
  if (!filter) return { links: [], searchAfter: undefined }
  const { links, more } = await parts.linkLists.page({ groupGuid, filter, after, size: wish.size })
  const last = links.at(-1)
  return { links, searchAfter: more && last ? cursorOf(last) : undefined }
}

/** Undefined when no link can be like that. */
async function filterFor(
  parts: ListParts,
  actor: Actor,
  groupGuid: string,
  wish: ListWish,
): Promise<LinkFilter | undefined> {
  // Gaps 2.6: a channel overrides every other filter, also the silent one that hides archived links.
  if (wish.channelGuid !== undefined) {
    const channel = await viewChannel(parts, actor, wish.channelGuid)
    return channel.groupGuid === groupGuid ? { channelGuid: channel.guid } : undefined
  }
  const words = wish.query === undefined ? [] : wordsOf(wish.query)
  const destination = wish.hostnamePathQuery === undefined ? undefined : parseDestination(wish.hostnamePathQuery)
  const campaign = wish.campaignGuid === undefined ? undefined : await viewCampaign(parts, actor, wish.campaignGuid)
  // What a campaign carries is of its own group.
  if (campaign && campaign.groupGuid !== groupGuid) return undefined
  // Codes and launchpads come with a later release: no link has one.
  if (wish.hasQrCodes === true || wish.launchpadIds?.length) return undefined
  return {
    words,
    destination,
    createdBefore: wish.createdBefore === undefined ? undefined : wish.createdBefore * 1000,
    createdAfter: wish.createdAfter === undefined ? undefined : wish.createdAfter * 1000,
    modifiedAfter: wish.modifiedAfter === undefined ? undefined : wish.modifiedAfter * 1000,
    domain: wish.domain === undefined ? undefined : parts.domains.keyOf(wish.domain),
    archived: wish.archived,
    private: wish.private,
    deeplinks: wish.deeplinks,
    domainDeeplinks: wish.domainDeeplinks,
    keywords: wish.customShortlink,
    expired: wish.isExpired === undefined ? undefined : { at: parts.clock.now(), wanted: wish.isExpired },
    expires: wish.hasExpiration,
    routing: wish.hasDynamicRouting,
    campaignGuid: campaign?.guid,
    tags: wish.tags,
    makers: wish.encodingLogins,
  }
}

function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url')
}

/** Any position will do, also that of a link which is gone by now; what we never wrote is refused. */
function positionOf(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, createdAt, id] = /^(\d{1,15}) ([!-~]{1,400})$/.exec(text) ?? []
  const position = createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id }
  if (!position || cursorOf(position) !== cursor) {
    const message = 'Send search_after exactly as the page before gave it, or leave it out for the first page.'
    throw invalid('searchAfter', message, 'shortlinks')
  }
  return position
}
