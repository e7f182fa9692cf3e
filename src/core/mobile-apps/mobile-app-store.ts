import type { MobileApp, MobileAppFields } from './mobile-app.js'

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
