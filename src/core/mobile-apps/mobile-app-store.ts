/**
 * Stores mobile apps. Each method is one atomic step; mobile-app-store.contract.ts defines the behaviour. Fields are
 * validated before they get here.
 */
export interface MobileAppStore {
  add(app: NewMobileApp): Promise<'added' | 'no-organization' | 'too-many'>
  /** Returns the organization's oldest app that matches `isSame`, or adds this one. Concurrent callers get the same app. */
  ensure(app: NewMobileApp, isSame: (known: MobileApp) => boolean): Promise<MobileApp | 'no-organization' | 'too-many'>
  /**
   * Returns the changed app; undefined when the organization has no such app. `change` runs in the transaction and returns
   * the fields to change; if it throws, nothing changes. A changed association clears `isAllowed`, because the operator
   * allowed the former one.
   */
  update(
    organizationGuid: string,
    guid: string,
    change: (current: MobileApp) => Partial<MobileAppFields>,
    at: number,
  ): Promise<MobileApp | undefined>
  /** Returns the changed app; undefined when no organization has such an app. */
  allow(guid: string, allowed: boolean, at: number): Promise<MobileApp | undefined>
  /** False when the organization has no such app. Keeps deep links that refer to it. */
  remove(organizationGuid: string, guid: string): Promise<boolean>
  get(organizationGuid: string, guid: string): Promise<MobileApp | undefined>
  /** All apps, or those of one organization, oldest first. */
  list(organizationGuid: string | undefined): Promise<readonly MobileApp[]>
}

export interface NewMobileApp extends MobileAppFields {
  readonly guid: string
  readonly organizationGuid: string
  readonly isAllowed?: boolean | undefined
  readonly at: number
  /** Maximum number of apps of the organization, including this one. */
  readonly limit: number
}

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
