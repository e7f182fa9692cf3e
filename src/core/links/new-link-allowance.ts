import { type AllowanceParts, requireAllowance, requireFeature } from '../limits/plans.js'
import type { LinkDraft } from './link.js'
import type { LinkStore } from './link-store.js'

export interface NewLinkParts extends AllowanceParts {
  readonly links: Pick<LinkStore, 'findByLongUrl'>
}

/**
 * Whether the plan has room for a new link, before DNS and conflicts are looked at (gaps 1.3). A link that the group has
 * already is no new one and costs nothing.
 */
export async function requireRoomForLink(parts: NewLinkParts, draft: LinkDraft, keyword?: string): Promise<void> {
  const { organizationGuid, groupGuid, domain, longUrl, branded = false } = draft
  if (parts.plans.limitsOf(organizationGuid) === undefined) return
  if (!draft.forceNew && (await parts.links.findByLongUrl(groupGuid, domain, longUrl))) return
  await requireAllowance(parts, organizationGuid, [
    'links',
    ...(branded ? (['branded_links'] as const) : []),
    ...(keyword === undefined ? [] : (['custom_back_halves'] as const)),
  ])
}

/** What a link may have that not every plan includes. */
export interface LinkExtras {
  readonly expires: boolean
  readonly deeplinks: number
  readonly rules: number
  /** A keyword on a branded domain, which makes it a custom short link. */
  readonly customLink: boolean
}

export function requireExtras(parts: AllowanceParts, organizationGuid: string, extras: LinkExtras): void {
  if (extras.customLink) requireFeature(parts, organizationGuid, 'custom_links')
  if (extras.expires) requireFeature(parts, organizationGuid, 'expiry')
  // Gaps 1.2: the example of the public service.
  if (extras.deeplinks > 0) requireFeature(parts, organizationGuid, 'deeplinks', 'deeplinks')
  if (extras.rules > 0) requireFeature(parts, organizationGuid, 'routing')
}
