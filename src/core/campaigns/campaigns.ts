/** Campaigns: writers of a group manage them, readers see them. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { Domains } from '../domains/domains.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import { isGuid, newGuid } from '../values/guid.js'
import { requireDescription, requireName } from '../values/names.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Campaign, CampaignChange, CampaignStore, InvalidReference, Saved } from './campaign-store.js'

export interface CampaignDeps extends PlanCheckDeps {
  readonly campaigns: CampaignStore
  readonly domains: Domains
  readonly clock: Clock
}

export interface CampaignInput extends CampaignChange {
  readonly groupGuid: string
}

export async function listCampaigns(
  deps: Pick<CampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
  groupGuid: string | undefined,
): Promise<readonly Campaign[]> {
  return deps.campaigns.campaigns(groupsWithCampaigns(deps, actor, groupGuid))
}

export async function readCampaign(
  deps: Pick<CampaignDeps, 'campaigns'>,
  actor: Actor,
  guid: string,
): Promise<Campaign> {
  return ofGroup(actor, isGuid(guid) ? await deps.campaigns.campaign(guid) : undefined, 'campaigns')
}

/** The campaign or channel, if the actor is in its group. */
export function ofGroup<Thing extends { readonly groupGuid: string }>(
  actor: Actor,
  found: Thing | undefined,
  resource: Resource,
): Thing {
  if (!found) throw notFound(resource)
  requireGroup(actor, found.groupGuid)
  return found
}

/** The campaign or channel, if the plan of its group includes them. */
export function inPlan<Thing extends { readonly groupGuid: string }>(
  deps: PlanCheckDeps,
  actor: Actor,
  found: Thing,
): Thing {
  requireCampaigns(deps, actor, found.groupGuid)
  return found
}

/** The campaign or channel, if the actor may change it. */
export function writable<Thing extends { readonly groupGuid: string }>(actor: Actor, found: Thing): Thing {
  requireWriter(actor, found.groupGuid)
  return found
}

export async function createCampaign(deps: CampaignDeps, actor: Actor, input: CampaignInput): Promise<Campaign> {
  const { groupGuid, description = '', channelGuids = [], namedChannels } = input
  requireWriter(actor, groupGuid)
  requireChannelGuids(channelGuids)
  const campaign = {
    guid: newGuid('campaign'),
    groupGuid,
    name: requireName(input.name, 'campaigns'),
    description: requireDescription(description, 'campaigns'),
    createdBy: actor.login,
    channelGuids,
    namedChannels,
    at: deps.clock.now(),
  }
  requireCampaigns(deps, actor, groupGuid)
  return savedOrThrow(deps, actor, await deps.campaigns.addCampaign(campaign), 'campaigns', 'channelGuids')
}

export async function changeCampaign(
  deps: CampaignDeps,
  actor: Actor,
  { guid, groupGuid }: Campaign,
  change: CampaignChange,
): Promise<Campaign> {
  requireWriter(actor, groupGuid)
  if (change.groupGuid !== undefined) requireWriter(actor, change.groupGuid)
  if (change.name !== undefined) requireName(change.name, 'campaigns')
  if (change.description !== undefined) requireDescription(change.description, 'campaigns')
  requireChannelGuids(change.channelGuids ?? [])
  requireCampaigns(deps, actor, change.groupGuid ?? groupGuid)
  const answer = await deps.campaigns.changeCampaign(guid, change, deps.clock.now())
  return savedOrThrow(deps, actor, answer, 'campaigns', 'channelGuids')
}

/** Links and channels stay. The caller has checked that the actor may change it. */
export async function removeCampaign(deps: CampaignDeps & AuditDeps, actor: Actor, campaign: Campaign): Promise<void> {
  requireCampaigns(deps, actor, campaign.groupGuid)
  if (!(await deps.campaigns.removeCampaign(campaign.guid))) throw notFound('campaigns')
  await noteRemoved(deps, actor, 'campaign_removed', campaign)
}

export function noteRemoved(
  deps: AuditDeps,
  actor: Actor,
  action: 'campaign_removed' | 'channel_removed',
  { guid, groupGuid, name }: Pick<Campaign, 'guid' | 'groupGuid' | 'name'>,
): Promise<void> {
  const { organizationGuid } = requireGroup(actor, groupGuid)
  return addAuditEntry(deps, { action, login: actor.login, organizationGuid, subject: guid, details: { name } })
}

/** The given group, or all groups of the actor, whose plan includes campaigns. Throws when no plan does. */
export function groupsWithCampaigns(
  deps: PlanCheckDeps,
  actor: Actor,
  groupGuid: string | undefined,
): readonly string[] {
  const groups = groupGuid === undefined ? actor.groups : [requireGroup(actor, groupGuid)]
  const included = groups.filter(({ organizationGuid }) => deps.plans.of(organizationGuid).features.has('campaigns'))
  // A user with several organizations sees the campaigns of those whose plan includes them.
  if (included.length === 0 && groups[0]) requireCampaigns(deps, actor, groups[0].groupGuid)
  return included.map((membership) => membership.groupGuid)
}

/** Throws unless the plan includes campaigns. */
export function requireCampaigns(deps: PlanCheckDeps, actor: Actor, groupGuid: string): void {
  requireFeature(deps, requireGroup(actor, groupGuid).organizationGuid, 'campaigns')
}

function requireChannelGuids(guids: readonly string[]): void {
  if (!guids.every(isGuid)) throw notFound('channels')
}

/** Returns the saved object, or throws: unknown objects are not found, inaccessible ones forbidden, others invalid. */
export function savedOrThrow<Thing>(
  { domains }: { readonly domains: Domains },
  actor: Actor,
  answer: Saved<Thing>,
  resource: Resource,
  field: 'channelGuids' | 'shortlinks',
): Thing {
  if (answer.outcome === 'saved') return answer.saved
  if (answer.outcome === 'missing') throw notFound(resource)
  const { kind, groupGuid, named } = answer.reference
  const id = kind === 'link' ? domains.shown(answer.reference.id) : answer.reference.id
  if (groupGuid === undefined) throw notFound(resourceOf[kind])
  requireGroup(actor, groupGuid)
  if (!named) {
    const message = `The group cannot be changed while the ${kind} ${id} is connected. Remove that first.`
    throw invalid('groupGuid', message, resource)
  }
  throw invalid(field, `The ${kind} ${id} belongs to another group. Use only objects of the same group.`, resource)
}

export function notFound(resource: Resource): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${names[resource] ?? 'object'}.`, { resource })
}

const resourceOf: Readonly<Record<InvalidReference['kind'], Resource>> = {
  campaign: 'campaigns',
  channel: 'channels',
  link: 'shortlinks',
}

const names: Readonly<Partial<Record<Resource, string>>> = {
  campaigns: 'campaign',
  channels: 'channel',
  shortlinks: 'short link',
}
