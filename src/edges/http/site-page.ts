/** Pages of sites: what the redirect path asks for, and edges/site-pages makes. */
import type { Target } from '../../core/links/link.js'
import type { PreviewedDraft } from '../../core/sites/preview.js'
import type { Site } from '../../core/sites/site.js'

export interface SitePages {
  /** `null` if the address shows nothing; undefined if its page has to be loaded. */
  peek(target: Target, now: number): SitePage | null | undefined
  load(target: Target): Promise<SitePage | null>
}

/** Draws a version that visitors do not see, for its owners. */
export interface SiteDrafts {
  draw(site: Pick<Site, 'guid' | 'address'>, draft: PreviewedDraft): Promise<string>
}

/** What an address of a site shows. A picture has to be drawn first. */
export type SitePage = (request: SiteRequest) => SiteAnswer | Promise<SiteAnswer>

interface SiteRequest {
  /** With its question mark; empty if there is none. */
  readonly query: string
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

export interface SiteAnswer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body?: Buffer | undefined
  /** What the visit is: a view of the page, or a button on it. Undefined if it is neither. */
  readonly counts: 'view' | 'button' | undefined
}
