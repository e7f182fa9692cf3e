import { type Actor, requireGroup } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { InvalidReference, Saved } from './campaign-store.js'

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
