import type { MobileApp, MobileAppFields } from './mobile-app.js'

/**
 * Where mobile applications are kept. Each method is one atomic step; mobile-app-store.contract.ts says what they
 * promise. Fields arrive here already checked.
 */
export interface MobileAppStore {
  add(app: NewMobileApp): Promise<'added' | 'no-organization' | 'too-many'>
  /** The organization's oldest application that `isSame` holds for, or else this new one. Racing callers get one. */
  ensure(app: NewMobileApp, isSame: (known: MobileApp) => boolean): Promise<MobileApp | 'no-organization' | 'too-many'>
  /**
   * The application as it is afterwards; undefined when the organization has none of this guid. `change` sees it as it
   * is, with nobody changing it meanwhile, and answers the fields that become others; what it throws changes nothing. An
   * application that gets another association is no longer allowed: the operator allowed the one they saw.
   */
  update(
    organizationGuid: string,
    guid: string,
    change: (current: MobileApp) => Partial<MobileAppFields>,
    at: number,
  ): Promise<MobileApp | undefined>
  /** The application as it is afterwards; undefined when there is none of this guid in any organization. */
  allow(guid: string, allowed: boolean, at: number): Promise<MobileApp | undefined>
  /** False when the organization has no such application. Deep links that name it are kept. */
  remove(organizationGuid: string, guid: string): Promise<boolean>
  get(organizationGuid: string, guid: string): Promise<MobileApp | undefined>
  /** All of them, or those of one organization, oldest first. */
  list(organizationGuid: string | undefined): Promise<readonly MobileApp[]>
}

export interface NewMobileApp extends MobileAppFields {
  readonly guid: string
  readonly organizationGuid: string
  readonly isAllowed?: boolean | undefined
  readonly at: number
  /** How many the organization may have with this one. */
  readonly limit: number
}
