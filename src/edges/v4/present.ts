/** Core values in v4's spelling: wire names, timestamps, absolute URLs. */
import type { Static } from 'typebox'
import type { Link, Target } from '../../core/links/link.js'
import type { ShortLink } from './schemas/short-link.js'

export function presentLink(link: Link, baseUrl: string): Static<typeof ShortLink> {
  return {
    references: { group: `${baseUrl}/v4/groups/${link.groupGuid}` },
    link: shortUrl(link.id, baseUrl),
    id: link.id,
    long_url: link.longUrl,
    ...(link.title !== undefined && { title: link.title }),
    archived: link.archived,
    created_at: timestamp(link.createdAt),
    created_by: link.createdBy,
    ...(link.clientId !== undefined && { client_id: link.clientId }),
    custom_shortlinks: link.keywords.map((address) => shortUrl(address, baseUrl)),
    tags: [...link.tags],
    launchpad_ids: [],
    qr_code_ids: [],
    deeplinks: [],
    campaign_ids: [],
    ...(link.expiresAt !== undefined && { expiration_at: timestamp(link.expiresAt) }),
  }
}

export function presentExpanded(target: Target, baseUrl: string): ExpandedLink {
  return {
    link: shortUrl(target.address, baseUrl),
    id: target.address,
    long_url: target.longUrl,
    long_urls: [target.longUrl],
    created_at: timestamp(target.createdAt),
  }
}

export interface ExpandedLink {
  link: string
  id: string
  long_url: string
  long_urls: string[]
  created_at: string
}

/** `YYYY-MM-DDThh:mm:ss+0000` (gaps 2.1) */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}

/** Short domains are served with the scheme the service is reached by. */
function shortUrl(address: string, baseUrl: string): string {
  return `${baseUrl.slice(0, baseUrl.indexOf(':'))}://${address}`
}
