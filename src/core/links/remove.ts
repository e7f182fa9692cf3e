import { type NoteParts, note } from '../audit/audit.js'
import { type Actor, requireWriter } from '../auth/actor.js'
import { Refusal } from '../refusal.js'
import type { LinkStore } from './link-store.js'
import { type FindParts, findLink, notFound } from './read.js'
import type { Targets } from './targets.js'

export interface RemoveParts extends NoteParts, Pick<FindParts, 'domains'> {
  readonly links: Pick<LinkStore, 'get' | 'target' | 'remove'>
  readonly targets: Pick<Targets, 'forget'>
}

/** Deletes an unedited hash link (v4 Short links 1) and answers the ids that are gone. */
export async function removeLink(
  parts: RemoveParts,
  actor: Actor,
  domain: string,
  backHalf: string,
): Promise<readonly string[]> {
  const { link } = await findLink(parts, domain, backHalf)
  const { organizationGuid } = requireWriter(actor, link.groupGuid)
  const outcome = await parts.links.remove(link.id, parts.clock.now())
  // The operation documents no 410: what is deleted is not there to be deleted.
  if (outcome === 'missing') throw notFound()
  if (outcome === 'edited') {
    const message =
      'Only a short link that was never redirected and never had a custom back-half can be deleted. Archive it instead.'
    throw new Refusal('BAD_REQUEST', message, { resource: 'shortlinks' })
  }
  parts.targets.forget(link.id)
  await note(parts, {
    action: 'link_deleted',
    login: actor.login,
    organizationGuid,
    subject: parts.domains.shown(link.id),
  })
  return [link.id]
}
