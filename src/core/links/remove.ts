import { type Actor, requireWriter } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { Refusal } from '../values/refusal.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'
import { type FindDeps, notFound } from './read.js'
import type { RedirectCache } from './redirect-cache.js'

export interface RemoveDeps extends AuditDeps, Pick<FindDeps, 'domains'> {
  readonly links: Pick<LinkStore, 'remove'>
  readonly redirectCache: Pick<RedirectCache, 'forget'>
}

/** Deletes an unedited link (docs/api/links.md#delete) and returns the deleted ids. */
export async function removeLink(deps: RemoveDeps, actor: Actor, link: Link): Promise<readonly string[]> {
  const { organizationGuid } = requireWriter(actor, link.groupGuid)
  const outcome = await deps.links.remove(link.id, deps.clock.now())
  // A 404: the operation documents no 410.
  if (outcome === 'missing') throw notFound()
  if (outcome === 'edited') {
    const message =
      'Only a short link that was never redirected and never had a custom back-half can be deleted. Archive it instead.'
    throw new Refusal('BAD_REQUEST', message, { resource: 'shortlinks' })
  }
  deps.redirectCache.forget(link.id)
  await addAuditEntry(deps, {
    action: 'link_deleted',
    login: actor.login,
    organizationGuid,
    subject: deps.domains.shown(link.id),
  })
  return [link.id]
}
