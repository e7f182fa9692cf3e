import { type AllowanceDeps, requireAllowance, requireFeature } from '../limits/plans.js'
import type { Counter } from '../usage/usage-store.js'
import type { LinkDraft } from './link.js'
import type { LinkStore } from './link-store.js'

export interface NewLinkDeps extends AllowanceDeps {
  readonly links: Pick<LinkStore, 'findByLongUrl'>
}

/**
 * Checks that the plan allows another link, before the DNS check and keyword conflicts. An existing reusable link spends
 * no allowance.
 */
export async function requireRoomForLink(deps: NewLinkDeps, draft: LinkDraft, keyword?: string): Promise<void> {
  const { organizationGuid, groupGuid, domain, longUrl, branded = false } = draft
  if (deps.plans.limitsOf(organizationGuid) === undefined) return
  if (!draft.forceNew && (await deps.links.findByLongUrl(groupGuid, domain, longUrl))) return
  await requireAllowance(deps, organizationGuid, spentBy(branded, keyword))
}

/** What a new link counts as. */
export function spentBy(branded: boolean, keyword: string | undefined): readonly Counter[] {
  return [
    'links',
    ...(branded ? (['branded_links'] as const) : []),
    ...(keyword === undefined ? [] : (['custom_back_halves'] as const)),
  ]
}

/** Features of a link that not every plan includes. */
export interface LinkExtras {
  readonly expires: boolean
  readonly deeplinks: number
  readonly rules: number
  /** Has a keyword on a branded domain. */
  readonly customLink: boolean
}

export function requireExtras(deps: AllowanceDeps, organizationGuid: string, extras: LinkExtras): void {
  if (extras.customLink) requireFeature(deps, organizationGuid, 'custom_links')
  if (extras.expires) requireFeature(deps, organizationGuid, 'expiry')
  // Documented with the resource `deeplinks` in the error.
  if (extras.deeplinks > 0) requireFeature(deps, organizationGuid, 'deeplinks', 'deeplinks')
  if (extras.rules > 0) requireFeature(deps, organizationGuid, 'routing')
}
