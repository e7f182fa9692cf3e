/** Lists the links of a group, newest first, in pages. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { CampaignStore } from '../campaigns/campaign-store.js'
import { inPlan, readCampaign } from '../campaigns/campaigns.js'
import { readChannel } from '../campaigns/channels.js'
import type { Domains } from '../domains/domains.js'
import type { PlanCheckDeps } from '../limits/plans.js'
import type { Clock } from '../values/time.js'
import type { Link } from './link.js'
import type { LinkFilter, LinkStore } from './link-store.js'
import { cursorOf, type PagingInput, pageStart } from './paging.js'
import { parseDestination, wordsOf } from './search.js'

export interface ListDeps extends PlanCheckDeps {
  readonly links: LinkStore
  readonly campaigns: CampaignStore
  readonly domains: Domains
  readonly clock: Clock
}

/** Undefined filters are ignored. */
export interface ListInput extends PagingInput {
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
  /** The cursor of the next page; undefined on the last page. */
  readonly searchAfter: string | undefined
}

export async function listLinks(
  deps: ListDeps,
  actor: Actor,
  groupGuid: string,
  input: ListInput,
): Promise<ListedLinks> {
  requireGroup(actor, groupGuid)
  const findStart = pageStart(input)
  const filter = await filterFor(deps, actor, groupGuid, input)
  if (!filter) return { links: [], searchAfter: undefined }
  const after = await findStart(async (position, size) => {
    const { links, more } = await deps.links.page({ groupGuid, filter, after: position, size })
    return { items: links, more }
  })
  if (after === 'end') return { links: [], searchAfter: undefined }
  const { links, more } = await deps.links.page({ groupGuid, filter, after, size: input.size })
  const last = links.at(-1)
  return { links, searchAfter: more && last ? cursorOf(last) : undefined }
}

/** Undefined when no link can match. */
async function filterFor(
  deps: ListDeps,
  actor: Actor,
  groupGuid: string,
  input: ListInput,
): Promise<LinkFilter | undefined> {
  // A channel overrides every other filter, also the default that hides archived links.
  if (input.channelGuid !== undefined) {
    const channel = inPlan(deps, actor, await readChannel(deps, actor, input.channelGuid))
    return channel.groupGuid === groupGuid ? { channelGuid: channel.guid } : undefined
  }
  const words = input.query === undefined ? [] : wordsOf(input.query)
  const destination = input.hostnamePathQuery === undefined ? undefined : parseDestination(input.hostnamePathQuery)
  const campaign = input.campaignGuid === undefined ? undefined : await readCampaign(deps, actor, input.campaignGuid)
  if (campaign) inPlan(deps, actor, campaign)
  // A campaign only has links of its own group.
  if (campaign && campaign.groupGuid !== groupGuid) return undefined
  // Launchpads come with a later release: no link has one.
  if (input.launchpadIds?.length) return undefined
  return {
    words,
    destination,
    createdBefore: input.createdBefore === undefined ? undefined : input.createdBefore * 1000,
    createdAfter: input.createdAfter === undefined ? undefined : input.createdAfter * 1000,
    modifiedAfter: input.modifiedAfter === undefined ? undefined : input.modifiedAfter * 1000,
    domain: input.domain === undefined ? undefined : deps.domains.keyOf(input.domain),
    archived: input.archived,
    private: input.private,
    deeplinks: input.deeplinks,
    domainDeeplinks: input.domainDeeplinks,
    keywords: input.customShortlink,
    expired: input.isExpired === undefined ? undefined : { at: deps.clock.now(), wanted: input.isExpired },
    expires: input.hasExpiration,
    routing: input.hasDynamicRouting,
    qrCodes: input.hasQrCodes,
    campaignGuid: campaign?.guid,
    tags: input.tags,
    makers: input.encodingLogins,
  }
}
