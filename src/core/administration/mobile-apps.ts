/** Mobile applications from the command line, where the operator needs no role and a guid alone says which is meant. */

import type { AppWish } from '../apps/app-rules.js'
import { appNotFound, type MobileAppParts, register } from '../apps/manage-apps.js'
import type { MobileApp } from '../apps/mobile-app.js'
import { type NoteParts, note } from '../audit/audit.js'
import type { AuditAction } from '../audit/audit-store.js'
import type { AccountStore } from '../auth/account-store.js'
import type { DomainStore } from '../domains/domain-store.js'
import { isGuid } from '../guid.js'
import { Refusal } from '../refusal.js'

export interface MobileAppAdministrationParts extends MobileAppParts, NoteParts {
  readonly accounts: AccountStore
  readonly domainStore: DomainStore
}

export interface AddMobileAppWish extends AppWish {
  /** The organization of the oldest group unless given. */
  readonly organizationGuid?: string | undefined
  /** Lists it on the built-in domains, too. */
  readonly allow?: boolean | undefined
}

export async function addMobileAppAsOperator(
  parts: MobileAppAdministrationParts,
  wish: AddMobileAppWish,
): Promise<MobileApp> {
  const app = await register(parts, wish.organizationGuid ?? (await firstOrganization(parts)), wish, wish.allow)
  await noteApp(parts, 'mobile_app_added', app)
  return app
}

/** Whether the association files of the built-in domains and of the API's host list it. */
export async function allowMobileApp(
  parts: MobileAppAdministrationParts,
  wish: { guid: string; allow: boolean },
): Promise<MobileApp> {
  const app = isGuid(wish.guid) ? await parts.mobileApps.allow(wish.guid, wish.allow, parts.clock.now()) : undefined
  if (!app) throw appNotFound(wish.guid)
  parts.appTable?.forget()
  await noteApp(parts, wish.allow ? 'mobile_app_allowed' : 'mobile_app_denied', app)
  return app
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
  await noteApp(parts, 'mobile_app_removed', app)
  return { guid: app.guid }
}

function noteApp(
  parts: MobileAppAdministrationParts,
  action: Extract<AuditAction, `mobile_app_${string}`>,
  { guid, organizationGuid, name }: MobileApp,
): Promise<void> {
  return note(parts, { action, login: 'operator', organizationGuid, subject: guid, details: { name } })
}

async function firstOrganization({ accounts, domainStore }: MobileAppAdministrationParts): Promise<string> {
  const group = await accounts.firstGroup()
  const organization = group === undefined ? undefined : await domainStore.organizationOf(group)
  if (organization !== undefined) return organization
  throw new Refusal('NOT_FOUND', 'There is no organization yet: start the service once, it makes the first one.', {
    resource: 'organizations',
  })
}
