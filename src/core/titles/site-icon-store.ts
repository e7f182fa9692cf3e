/** Keeps the icons of sites. The behaviour is defined in site-icon-store.contract.ts. */
export interface SiteIconStore {
  /** Those that are known, in no order. */
  find(hosts: readonly string[]): Promise<readonly SiteIcon[]>
  /** Also instead of an older one. Of all icons, the `most` that were fetched last stay. */
  save(icon: SiteIcon, most: number): Promise<void>
}

export interface SiteIcon {
  /** As in URLs: in lower case, with a port that is not the usual one. */
  readonly host: string
  /** A small PNG or JPEG that we drew, as a `data:` URL. */
  readonly image: string
  readonly fetchedAt: number
}
