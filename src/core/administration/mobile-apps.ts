/** Mobile applications from the command line, where the operator needs no role and a guid alone says which is meant. */

import type { AppWish } from '../apps/app-rules.js'
import { appNotFound, type MobileAppParts, register } from '../apps/manage-apps.js'
import type { MobileApp } from '../apps/mobile-app.js'
import type { AccountStore } from '../auth/account-store.js'
import type { DomainStore } from '../domains/domain-store.js'
import { Refusal } from '../refusal.js'

export interface MobileAppAdministrationParts extends MobileAppParts {
  readonly accounts: AccountStore
  readonly domainStore: DomainStore
}

export interface AddMobileAppWish extends AppWish {
  /** The organization of the oldest group unless given. */
  readonly organizationGuid?: string | undefined
}

export async function addMobileAppAsOperator(
  parts: MobileAppAdministrationParts,
  wish: AddMobileAppWish,
): Promise<MobileApp> {
  return register(parts, wish.organizationGuid ?? (await firstOrganization(parts)), wish)
}

export function listMobileAppsAsOperator(
  parts: MobileAppAdministrationParts,
  wish: { organizationGuid?: string | undefined },
): Promise<readonly MobileApp[]> {
  return parts.mobileApps.list(wish.organizationGuid)
}

export async function removeMobileAppAsOperator(
  parts: MobileAppAdministrationParts,
  wish: { guid: string },
): Promise<{ guid: string }> {
  const app = (await parts.mobileApps.list(undefined)).find(({ guid }) => guid === wish.guid)
  if (!app || !(await parts.mobileApps.remove(app.organizationGuid, app.guid))) throw appNotFound(wish.guid)
  parts.appTable?.forget()
  return { guid: app.guid }
}

async function firstOrganization({ accounts, domainStore }: MobileAppAdministrationParts): Promise<string> {
  const group = await accounts.firstGroup()
  const organization = group === undefined ? undefined : await domainStore.organizationOf(group)
  if (organization !== undefined) return organization
  throw new Refusal('NOT_FOUND', 'There is no organization yet: start the service once, it makes the first one.', {
    resource: 'organizations',
  })
}
