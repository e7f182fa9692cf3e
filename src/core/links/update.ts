/**
 * Changes a link. Clients send whole resources back, so unchanged fields count as not sent: they are not validated again
 * and do not mark the link as edited. Only a long URL always counts as a redirect (docs/api/links.md#change).
 */
import { type Actor, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { type AllowanceDeps, requireAllowance } from '../limits/plans.js'
import type { Titles } from '../titles/titles.js'
import { normaliseLongUrl } from '../values/long-url.js'
import { Refusal } from '../values/refusal.js'
import { type Clock, parseTimestamp } from '../values/time.js'
import { type Deeplink, type DeeplinkDeps, type DeeplinkInput, readDeeplinks, registerMobileApps } from './deeplink.js'
import { isRedirect, type Link, type LinkChange, type TagEdit } from './link.js'
import { type LinkInput, readExpiry, readLinkFields } from './link-fields.js'
import type { LinkStore } from './link-store.js'
import { requireExtras } from './new-link-allowance.js'
import { gone } from './read.js'
import type { RedirectCache } from './redirect-cache.js'
import { type RoutingRule, readRouting } from './routing-rule.js'
import { readTags, tooManyTagsPerGroup, tooManyTagsPerLink } from './tags.js'

export interface UpdateDeps extends DeeplinkDeps, AllowanceDeps {
  readonly links: Pick<LinkStore, 'update'>
  readonly domains: Domains
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly titles: Pick<Titles, 'enqueue'>
  readonly clock: Clock
}

export interface UpdateInput extends LinkInput {
  readonly archived?: boolean | undefined
  readonly longUrl?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** Instead, of the tags that the link has. */
  readonly tagEdit?: TagEdit | undefined
  readonly deeplinks?: readonly DeeplinkInput[] | undefined
  readonly dynamicRouting?: readonly RoutingRule[] | undefined
}

/** `link` comes from `writableLink`. */
export async function updateLink(deps: UpdateDeps, actor: Actor, link: Link, input: UpdateInput): Promise<Link> {
  const { organizationGuid } = requireWriter(actor, link.groupGuid)
  const at = deps.clock.now()
  const change: LinkChange = {
    ...readLinkFields({ ...input, expiresAt: undefined }, at),
    ...(input.archived !== undefined && { archived: input.archived }),
    ...changedLongUrl(deps, link, input.longUrl),
    ...changedExpiry(link, input.expiresAt, at),
    ...(input.tags !== undefined && { tags: readTags(input.tags) }),
    ...(input.tagEdit && editsTags(link, input.tagEdit) && { tagEdit: input.tagEdit }),
    ...(await changedDeeplinks(deps, actor, link, organizationGuid, input.deeplinks)),
    ...changedRouting(deps, link, input.dynamicRouting),
  }
  if (Object.keys(change).length === 0) return link
  requireExtras(deps, organizationGuid, {
    expires: typeof change.expiresAt === 'number',
    deeplinks: change.deeplinks?.length ?? 0,
    rules: change.routing?.length ?? 0,
    customLink: false,
  })
  if (isRedirect(change)) await requireAllowance(deps, organizationGuid, ['redirects'])

  const deeplinks = change.deeplinks && (await registerMobileApps(deps, organizationGuid, change.deeplinks))
  const whole = deeplinks ? { ...change, deeplinks } : change
  const updated = await deps.links.update(link.id, whole, { login: actor.login, clientId: actor.clientId, at })
  if (updated.outcome === 'missing') throw gone('deleted')
  if (updated.outcome === 'too-many-tags') throw updated.on === 'link' ? tooManyTagsPerLink() : tooManyTagsPerGroup()
  if (updated.outcome === 'foreign-deeplink') {
    const message = 'One of the deep links belongs to another short link. Send it without its guid to make a copy.'
    throw new Refusal('CONFLICT', message, { resource: 'deeplinks', field: 'deeplinks' })
  }
  for (const address of [updated.link.id, ...updated.link.keywords]) deps.redirectCache.forget(address)
  if (change.longUrl !== undefined) deps.titles.enqueue(updated.link)
  return updated.link
}

function editsTags({ tags }: Pick<Link, 'tags'>, { addTags, removeTags }: TagEdit): boolean {
  return (
    addTags.some((tag) => !tags.includes(tag)) || removeTags.some((tag) => tags.includes(tag) && !addTags.includes(tag))
  )
}

export function changedLongUrl(
  deps: Pick<UpdateDeps, 'domains'>,
  link: Pick<Link, 'longUrl'>,
  sent: string | undefined,
): LinkChange {
  if (sent === undefined) return {}
  const longUrl = sent === link.longUrl ? sent : normaliseLongUrl(sent, deps.domains)
  return longUrl === link.longUrl ? { sameLongUrl: true } : { longUrl }
}

export function changedExpiry(link: Pick<Link, 'expiresAt'>, sent: string | undefined, now: number): LinkChange {
  if (sent === undefined) return {}
  // Compared in whole seconds, as the API returns it. An unchanged expiry may have passed meanwhile.
  if (link.expiresAt !== undefined && seconds(parseTimestamp(sent)?.at) === seconds(link.expiresAt)) return {}
  return { expiresAt: readExpiry(sent, now) ?? null }
}

async function changedDeeplinks(
  deps: UpdateDeps,
  actor: Actor,
  link: Link,
  organizationGuid: string,
  sent: readonly DeeplinkInput[] | undefined,
): Promise<LinkChange> {
  if (sent === undefined || isUnchanged(sent, link.deeplinks)) return {}
  return { deeplinks: await readDeeplinks(deps, actor, organizationGuid, sent) }
}

function isUnchanged(sent: readonly DeeplinkInput[], kept: readonly Deeplink[]): boolean {
  const isSame = (input: DeeplinkInput, deeplink: Deeplink | undefined) =>
    deeplinkFields.every((field) => (input[field] ?? '') === deeplink?.[field])
  return sent.length === kept.length && sent.every((input, index) => isSame(input, kept[index]))
}

const deeplinkFields = ['guid', 'appGuid', 'os', 'appUriPath', 'installUrl', 'installType', 'brandGuid'] as const

/** `readRouting` writes conditions in a fixed order, so equal rules have equal JSON. */
export function changedRouting(
  deps: Pick<UpdateDeps, 'domains'>,
  link: Pick<Link, 'routing'>,
  sent: readonly RoutingRule[] | undefined,
): LinkChange {
  if (sent === undefined || JSON.stringify(sent) === JSON.stringify(link.routing)) return {}
  return { routing: readRouting(sent, deps.domains) }
}

function seconds(at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.floor(at / 1000)
}
