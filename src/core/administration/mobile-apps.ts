/** Mobile app commands of the operator, who needs no role and no organization. */
import type { UserStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { AuditAction } from '../accounts/audit-store.js'
import type { DomainStore } from '../domains/domain-store.js'
import type { AppInput } from '../mobile-apps/app-fields.js'
import type { MobileApp } from '../mobile-apps/mobile-app-store.js'
import { appNotFound, type MobileAppDeps, register } from '../mobile-apps/mobile-apps.js'
import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'

export interface MobileAppAdministrationDeps extends MobileAppDeps, AuditDeps {
  readonly accounts: UserStore
  readonly domainStore: DomainStore
}

export interface AddMobileAppInput extends AppInput {
  /** By default the organization of the oldest group. */
  readonly organizationGuid?: string | undefined
  /** Also list the app in the association files of the built-in domains. */
  readonly allow?: boolean | undefined
}

export async function addMobileApp(
  deps: MobileAppAdministrationDeps,
  actor: Actor,
  input: AddMobileAppInput,
): Promise<MobileApp> {
  const app = await register(deps, input.organizationGuid ?? (await firstOrganization(deps)), input, input.allow)
  await auditApp(deps, actor, 'mobile_app_added', app)
  return app
}

/** Adds the app to the association files of the built-in domains and of the API's host, or removes it. */
export async function allowMobileApp(
  deps: MobileAppAdministrationDeps,
  actor: Actor,
  input: { guid: string; allow: boolean },
): Promise<MobileApp> {
  const app = isGuid(input.guid) ? await deps.mobileApps.allow(input.guid, input.allow, deps.clock.now()) : undefined
  if (!app) throw appNotFound(input.guid)
  deps.mobileAppTable?.forget()
  await auditApp(deps, actor, input.allow ? 'mobile_app_allowed' : 'mobile_app_denied', app)
  return app
}

export function listMobileApps(
  deps: MobileAppAdministrationDeps,
  input: { organizationGuid?: string | undefined },
): Promise<readonly MobileApp[]> {
  return deps.mobileApps.list(input.organizationGuid)
}

export async function removeMobileApp(
  deps: MobileAppAdministrationDeps,
  actor: Actor,
  input: { guid: string },
): Promise<{ guid: string }> {
  const app = (await deps.mobileApps.list(undefined)).find(({ guid }) => guid === input.guid)
  if (!app || !(await deps.mobileApps.remove(app.organizationGuid, app.guid))) throw appNotFound(input.guid)
  deps.mobileAppTable?.forget()
  await auditApp(deps, actor, 'mobile_app_removed', app)
  return { guid: app.guid }
}

function auditApp(
  deps: MobileAppAdministrationDeps,
  { login }: Actor,
  action: Extract<AuditAction, `mobile_app_${string}`>,
  { guid, organizationGuid, name }: MobileApp,
): Promise<void> {
  return addAuditEntry(deps, { action, login, organizationGuid, subject: guid, details: { name } })
}

async function firstOrganization({ accounts, domainStore }: MobileAppAdministrationDeps): Promise<string> {
  const group = await accounts.firstGroup()
  const organization = group === undefined ? undefined : await domainStore.organizationOf(group)
  if (organization !== undefined) return organization
  throw new Refusal('NOT_FOUND', 'There is no organization yet. Start the service once to create the first one.', {
    resource: 'organizations',
  })
}
