/**
 * Registering mobile apps. Members of an organization can see its apps, administrators can change them. The operator's
 * commands are in administration/mobile-apps.ts.
 */
import { type Actor, requireOrganization, requireOrganizationAdmin } from '../accounts/actor.js'
import { isGuid, newGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type AppChange, type AppInput, changedFields, fieldsOf } from './app-fields.js'
import type { MobileApp, MobileAppStore } from './mobile-app-store.js'
import type { MobileAppTable } from './mobile-app-table.js'

export interface MobileAppDeps {
  readonly mobileApps: MobileAppStore
  readonly clock: Clock
  /** The cache of the redirect path; not present while the service is stopped. */
  readonly mobileAppTable?: Pick<MobileAppTable, 'forget'>
}

export async function listMobileApps(
  deps: Pick<MobileAppDeps, 'mobileApps'>,
  actor: Actor,
  organizationGuid: string,
): Promise<readonly MobileApp[]> {
  requireOrganization(actor, organizationGuid)
  return deps.mobileApps.list(organizationGuid)
}

export async function readMobileApp(
  deps: Pick<MobileAppDeps, 'mobileApps'>,
  actor: Actor,
  organizationGuid: string,
  guid: string,
): Promise<MobileApp> {
  requireOrganization(actor, organizationGuid)
  const app = isGuid(guid) ? await deps.mobileApps.get(organizationGuid, guid) : undefined
  if (!app) throw appNotFound(guid)
  return app
}

export async function addMobileApp(
  deps: MobileAppDeps,
  actor: Actor,
  organizationGuid: string,
  input: AppInput,
): Promise<MobileApp> {
  requireOrganizationAdmin(actor, organizationGuid)
  return register(deps, organizationGuid, input)
}

export async function updateMobileApp(
  deps: MobileAppDeps,
  actor: Actor,
  organizationGuid: string,
  guid: string,
  change: AppChange,
): Promise<MobileApp> {
  requireOrganizationAdmin(actor, organizationGuid)
  if (!isGuid(guid)) throw appNotFound(guid)
  const fields = (current: MobileApp) => changedFields(current.association, change)
  const updated = await deps.mobileApps.update(organizationGuid, guid, fields, deps.clock.now())
  if (!updated) throw appNotFound(guid)
  deps.mobileAppTable?.forget()
  return updated
}

export async function removeMobileApp(
  deps: MobileAppDeps,
  actor: Actor,
  organizationGuid: string,
  guid: string,
): Promise<void> {
  requireOrganizationAdmin(actor, organizationGuid)
  if (!isGuid(guid) || !(await deps.mobileApps.remove(organizationGuid, guid))) throw appNotFound(guid)
  deps.mobileAppTable?.forget()
}

// Enough for any organization; keeps the association files small.
export const maxApps = 100

/** Registers an app without an access check; the caller checks access. */
export async function register(
  deps: MobileAppDeps,
  organizationGuid: string,
  input: AppInput,
  isAllowed = false,
): Promise<MobileApp> {
  const fields = fieldsOf(input)
  const guid = newGuid('application')
  const at = deps.clock.now()
  const outcome = await deps.mobileApps.add({ ...fields, guid, organizationGuid, isAllowed, at, limit: maxApps })
  if (outcome === 'no-organization') {
    throw new Refusal('NOT_FOUND', `There is no organization "${organizationGuid}".`, { resource: 'organizations' })
  }
  if (outcome === 'too-many') {
    throw invalid('name', `An organization has at most ${maxApps} mobile apps. Remove one first.`, 'mobile_apps')
  }
  deps.mobileAppTable?.forget()
  return { ...fields, guid, organizationGuid, isAllowed, createdAt: at, modifiedAt: at }
}

export function appNotFound(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no mobile app ${quoted(guid)}.`, { resource: 'mobile_apps' })
}
