/**
 * Mobile apps by native id: the package name on Android, the bundle id on iOS, with or without team id. Clients put it
 * into deep links instead of a guid, and expect the service to register unknown apps. Such an entry has no signing data,
 * so no association file lists it.
 */

import { newGuid } from '../values/guid.js'
import { browserSchemes } from '../values/long-url.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Association, MobileApp, MobileAppStore, MobileOs } from './mobile-app-store.js'
import type { MobileAppTable } from './mobile-app-table.js'

export interface NativeAppDeps {
  readonly mobileApps: Pick<MobileAppStore, 'ensure'>
  readonly clock: Clock
  readonly mobileAppTable?: Pick<MobileAppTable, 'forget'>
}

/** An app to register by native id. */
export interface NativeApp {
  readonly id: string
  readonly os: MobileOs
  /** Empty if unknown. */
  readonly uriScheme: string
}

export function isNativeId(text: string): boolean {
  return text.length <= 255 && /^[a-z0-9][\w-]*(?:\.[\w-]+)+$/i.test(text)
}

export function hasNativeId({ association }: MobileApp, id: string): boolean {
  if (association.os === 'android') return association.packageName === id
  const { appId, bundleId } = association
  return bundleId === id || appId === id || appId.slice(teamPrefixLength) === id
}

/** The team id has ten characters, followed by a dot. */
const teamPrefixLength = 11

/** Guesses the OS from the native id and the app store URL; Android if neither shows it. */
export function likelyOs(id: string, installUrl: string): MobileOs {
  if (/^(?:market:|https?:\/\/play\.google\.com\/)/i.test(installUrl)) return 'android'
  if (/^(?:itms-appss?:|https?:\/\/(?:apps|itunes)\.apple\.com\/)/i.test(installUrl)) return 'ios'
  // Package names have no hyphens, and no part that begins with a digit.
  return /-|(?:^|\.)\d/.test(id) || /^[A-Z0-9]{10}\./.test(id) ? 'ios' : 'android'
}

/** The scheme of a URI, such as `shop` of `shop://shoes/1`; empty for a path and for browser schemes. */
export function schemeIn(appUriPath: string): string {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]{0,63}):\/\//i.exec(appUriPath) ?? []
  const lower = scheme.toLowerCase()
  return lower === 'http' || lower === 'https' || browserSchemes.has(lower) ? '' : lower
}

/** Returns the guid of the organization's entry for the app, and creates the entry if necessary. */
export async function ensureNativeApp(
  deps: NativeAppDeps,
  organizationGuid: string,
  app: NativeApp,
  limit: number,
): Promise<string> {
  const { id: name, os, uriScheme } = app
  const entry = { name, storeUrl: '', uriScheme, association: unsignedAssociation(name, os) }
  const draft = { ...entry, guid: newGuid('application'), organizationGuid, at: deps.clock.now(), limit }
  const isSame = (known: MobileApp) => known.association.os === os && hasNativeId(known, name)
  const ensured = await deps.mobileApps.ensure(draft, isSame)
  if (ensured === 'no-organization' || ensured === 'too-many') {
    const message = `The organization has ${limit} mobile apps, which is the maximum. Remove one first.`
    throw invalid('deeplinks', message, 'deeplinks')
  }
  if (ensured.guid === draft.guid) deps.mobileAppTable?.forget()
  return ensured.guid
}

/** Without signing data, so the app appears in no association file. */
function unsignedAssociation(id: string, os: MobileOs): Association {
  return os === 'android' ? { os, packageName: id, fingerprints: [] } : { os, appId: '', bundleId: id, paths: ['*'] }
}
