/** A short link: `<domain>/<hash>`, made for one group by one user, with one destination. */
export interface Link {
  /** `<domain>/<hash>` */
  readonly id: string
  readonly domain: string
  readonly hash: string
  readonly groupGuid: string
  readonly longUrl: string
  readonly title: string | undefined
  readonly archived: boolean
  readonly createdAt: number
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly expiresAt: number | undefined
  readonly deletedAt: number | undefined
  /** Addresses (`<domain>/<keyword>`) that point at this link, most recent first. */
  readonly keywords: readonly string[]
  readonly tags: readonly string[]
}

/** What a new link needs before it has a hash. */
export interface LinkDraft {
  readonly groupGuid: string
  readonly domain: string
  readonly longUrl: string
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly at: number
}

/** Where an address leads at this moment; kept in memory by the redirect path. */
export interface Target {
  /** The address used: `<domain>/<back-half>`. */
  readonly address: string
  /** The hash link behind the address; undefined for a global hash, which nobody owns. */
  readonly linkId: string | undefined
  readonly groupGuid: string | undefined
  readonly longUrl: string
  readonly createdAt: number
  readonly expiresAt: number | undefined
  readonly deletedAt: number | undefined
}
