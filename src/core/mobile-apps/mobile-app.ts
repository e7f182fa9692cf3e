/**
 * Mobile applications that deep links open, registered by organizations: how a phone starts the application, where it
 * is got, and what the association files of a domain say about it. It knows no HTTP and no SQL.
 */
export type MobileApp = MobileAppFields & {
  readonly guid: string
  readonly organizationGuid: string
  /**
   * The operator lets it stand in the association files of the built-in domains and of the API's host, which all
   * organizations share.
   */
  readonly isAllowed: boolean
  readonly createdAt: number
  readonly modifiedAt: number
}

export interface MobileAppFields {
  readonly name: string
  /** Where people get the application; empty when they cannot. */
  readonly storeUrl: string
  /** `myapp` for `myapp://...`, lower case. */
  readonly uriScheme: string
  readonly association: Association
}

/** What the two systems want to know before they open links of a domain in an application. */
export type Association = AndroidAssociation | IosAssociation

export interface AndroidAssociation {
  readonly os: 'android'
  /** `com.example.app`; empty when the application is left out of the association file. */
  readonly packageName: string
  /** SHA-256 of the signing certificates: pairs of upper-case hex digits with colons between them. */
  readonly fingerprints: readonly string[]
}

export interface IosAssociation {
  readonly os: 'ios'
  /** `<team id>.<bundle id>`; empty when the application is left out of the association file. */
  readonly appId: string
  /** What deep links named the application by before it was registered. */
  readonly bundleId?: string
  /** Which paths of the domain open in the application: `*`, `/news/*`, `NOT /about`. */
  readonly paths: readonly string[]
}

export type MobileOs = Association['os']
