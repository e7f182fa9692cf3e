/**
 * Mobile apps that deep links open: URI scheme, app store URL, and the data for association files. Organizations register
 * them. Knows nothing of HTTP or SQL.
 */
export type MobileApp = MobileAppFields & {
  readonly guid: string
  readonly organizationGuid: string
  /**
   * Whether the operator allows it in the association files of the built-in domains and of the API's host, which all
   * organizations share.
   */
  readonly isAllowed: boolean
  readonly createdAt: number
  readonly modifiedAt: number
}

export interface MobileAppFields {
  readonly name: string
  /** The app store page; empty if there is none. */
  readonly storeUrl: string
  /** `myapp` for `myapp://...`, lower case. */
  readonly uriScheme: string
  readonly association: Association
}

/** What Android and iOS require before they open links of a domain in an app. */
export type Association = AndroidAssociation | IosAssociation

export interface AndroidAssociation {
  readonly os: 'android'
  /** Such as `com.example.app`; empty to leave the app out of the association file. */
  readonly packageName: string
  /** SHA-256 of the signing certificates, as pairs of upper-case hex digits separated by colons. */
  readonly fingerprints: readonly string[]
}

export interface IosAssociation {
  readonly os: 'ios'
  /** `<team id>.<bundle id>`; empty to leave the app out of the association file. */
  readonly appId: string
  /** The bundle id that deep links used before the app was registered. */
  readonly bundleId?: string
  /** The paths of the domain that open in the app: `*`, `/news/*`, `NOT /about`. */
  readonly paths: readonly string[]
}

export type MobileOs = Association['os']
