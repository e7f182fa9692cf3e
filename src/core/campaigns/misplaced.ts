import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { Misplaced, Saved } from './campaign-store.js'

/** What was saved, or the refusal that fits: unknown things are not found, foreign ones forbidden, others a mistake. */
export function savedBy<Thing>(
  { domains }: { readonly domains: Domains },
  actor: Actor,
  answer: Saved<Thing>,
  resource: Resource,
  field: 'channelGuids' | 'shortlinks',
): Thing {
  if (answer.outcome === 'saved') return answer.saved
  if (answer.outcome === 'missing') throw notFound(resource)
  const { kind, groupGuid, named } = answer.what
  const id = kind === 'link' ? domains.shown(answer.what.id) : answer.what.id
  if (groupGuid === undefined) throw notFound(resourceOf[kind])
  requireGroup(actor, groupGuid)
  if (!named) {
    const message = `It cannot change its group while it is connected with the ${kind} ${id}: take that out first.`
    throw invalid('groupGuid', message, resource)
  }
  throw invalid(field, `The ${kind} ${id} is in another group: name only those of the same group.`, resource)
}

export function notFound(resource: Resource): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${names[resource] ?? 'object'}.`, { resource })
}

const resourceOf: Readonly<Record<Misplaced['kind'], Resource>> = {
  campaign: 'campaigns',
  channel: 'channels',
  link: 'shortlinks',
}

const names: Readonly<Partial<Record<Resource, string>>> = {
  campaigns: 'campaign',
  channels: 'channel',
  shortlinks: 'short link',
}
