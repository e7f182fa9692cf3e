/**
 * Mobile applications by the name that their system knows them by: the package name on Android, the bundle id on iOS, with
 * or without the team before it. Clients put it into deep links where ours would have a guid, and expect an application
 * that nobody has registered to be taken note of. Such an entry has no signing data, so no association file lists it.
 */
import type { Clock } from '../values/clock.js'
import { newGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import { browserSchemes } from '../values/uri-schemes.js'
import type { Association, MobileApp, MobileOs } from './mobile-app.js'
import type { MobileAppStore } from './mobile-app-store.js'
import type { MobileAppTable } from './mobile-app-table.js'

export interface NativeAppDeps {
  readonly mobileApps: Pick<MobileAppStore, 'ensure'>
  readonly clock: Clock
  readonly mobileAppTable?: Pick<MobileAppTable, 'forget'>
}

/** An application that is to be taken note of. */
export interface NativeApp {
  readonly id: string
  readonly os: MobileOs
  /** Empty when nobody knows how it is started. */
  readonly uriScheme: string
}

export function isNativeId(text: string): boolean {
  return text.length <= 255 && /^[a-z0-9][\w-]*(?:\.[\w-]+)+$/i.test(text)
}

export function hasNativeId({ association }: MobileApp, id: string): boolean {
  if (association.os === 'android') return association.packageName === id
  const { appId, bundleId } = association
  return bundleId === id || appId === id || appId.slice(teamLength) === id
}

/** Ten characters and a dot. */
const teamLength = 11

/** The system that an application is for, by its name and its store; Android where neither tells. */
export function likelyOs(id: string, installUrl: string): MobileOs {
  if (/^(?:market:|https?:\/\/play\.google\.com\/)/i.test(installUrl)) return 'android'
  if (/^(?:itms-appss?:|https?:\/\/(?:apps|itunes)\.apple\.com\/)/i.test(installUrl)) return 'ios'
  // Package names have no hyphens, and no part that begins with a digit.
  return /-|(?:^|\.)\d/.test(id) || /^[A-Z0-9]{10}\./.test(id) ? 'ios' : 'android'
}

/** `shop` of `shop://shoes/1`; empty for a path without one, and for schemes of browsers. */
export function schemeIn(appUriPath: string): string {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]{0,63}):\/\//i.exec(appUriPath) ?? []
  const lower = scheme.toLowerCase()
  return lower === 'http' || lower === 'https' || browserSchemes.has(lower) ? '' : lower
}

/** The guid of the organization's entry for the application, made now unless there is one. */
export async function ensureNativeApp(
  deps: NativeAppDeps,
  organizationGuid: string,
  app: NativeApp,
  limit: number,
): Promise<string> {
  const { id: name, os, uriScheme } = app
  const entry = { name, storeUrl: '', uriScheme, association: unsigned(name, os) }
  const draft = { ...entry, guid: newGuid('application'), organizationGuid, at: deps.clock.now(), limit }
  const isSame = (known: MobileApp) => known.association.os === os && hasNativeId(known, name)
  const ensured = await deps.mobileApps.ensure(draft, isSame)
  if (ensured === 'no-organization' || ensured === 'too-many') {
    const message = `The organization has ${limit} mobile applications, which is all it may have. Remove one first.`
    throw invalid('deeplinks', message, 'deeplinks')
  }
  if (ensured.guid === draft.guid) deps.mobileAppTable?.forget()
  return ensured.guid
}

/** Nothing here gets the application into an association file. */
function unsigned(id: string, os: MobileOs): Association {
  return os === 'android' ? { os, packageName: id, fingerprints: [] } : { os, appId: '', bundleId: id, paths: ['*'] }
}
