/**
 * Deep links: how a link opens inside a mobile app on one operating system (docs/deep-links.md), and validation of the
 * input. open-app.ts decides what a phone is sent.
 */
import { isLonger } from '../../lib/is-longer.js'
import type { Actor } from '../accounts/actor.js'
import { requireAlso } from '../accounts/scopes.js'
import type { MobileApp, MobileAppStore } from '../mobile-apps/mobile-app-store.js'
import { maxApps } from '../mobile-apps/mobile-apps.js'
import {
  ensureNativeApp,
  hasNativeId,
  isNativeId,
  likelyOs,
  type NativeApp,
  type NativeAppDeps,
  schemeIn,
} from '../mobile-apps/native-id.js'
import { isGuid } from '../values/guid.js'
import { invalid, Refusal } from '../values/refusal.js'

export interface Deeplink extends Omit<DeeplinkDraft, 'guid'> {
  readonly guid: string
  readonly linkId: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A deep link to store. The guid of an existing deep link of the same link replaces that one. */
export interface DeeplinkDraft {
  readonly guid: string | undefined
  readonly appGuid: string
  readonly os: DeeplinkOs
  /** Path inside the app; may be empty. */
  readonly appUriPath: string
  /** The app's page in a store; may be empty. */
  readonly installUrl: string
  readonly installType: InstallType
  readonly brandGuid: string
}

export const deeplinkSystems = ['ios', 'android'] as const
export type DeeplinkOs = (typeof deeplinkSystems)[number]

export const installTypes = ['no_install', 'auto_install', 'promote_install'] as const
type InstallType = (typeof installTypes)[number]

/** A deep link as a caller sends it. */
export interface DeeplinkInput {
  readonly guid?: string | undefined
  readonly appGuid?: string | undefined
  readonly os?: string | undefined
  readonly appUriPath?: string | undefined
  readonly installUrl?: string | undefined
  readonly installType?: string | undefined
  readonly brandGuid?: string | undefined
}

export interface DeeplinkDeps extends NativeAppDeps {
  readonly mobileApps: Pick<MobileAppStore, 'get' | 'list' | 'ensure'>
}

/** A validated deep link. `newApp` is set when its app is not registered yet. */
export interface ReadDeeplink extends DeeplinkDraft {
  readonly newApp?: NativeApp | undefined
}

// Enough for ten apps on both systems.
export const maxDeeplinks = 20
/** For app_uri_path and install_url. */
export const maxDeeplinkTextLength = 2048

export async function readDeeplinks(
  deps: DeeplinkDeps,
  actor: Actor,
  organizationGuid: string,
  inputs: readonly DeeplinkInput[],
): Promise<readonly ReadDeeplink[]> {
  if (inputs.length > maxDeeplinks) throw refused(`A short link has at most ${maxDeeplinks} deep links.`)
  const deeplinks = await Promise.all(inputs.map((input) => readDeeplink(deps, organizationGuid, input)))
  if (deeplinks.some(({ newApp }) => newApp)) requireMayRegister(actor)
  return deeplinks
}

/** Mobile apps belong to the organization, and have a scope of their own. */
function requireMayRegister(actor: Actor): void {
  if (actor.isLimitedToGroups) {
    const message =
      'A deep link names a mobile app that is not registered, and this token is limited. Register the app first.'
    throw new Refusal('FORBIDDEN', message, { resource: 'mobile_apps' })
  }
  // Applications cannot have that one.
  requireAlso(actor, actor.clientId === undefined ? 'domains' : 'links:write')
}

/**
 * Registers the apps that are not registered yet. Call it last, after all other checks. If writing the link fails
 * afterwards, an unused app remains; the next deep link to this app uses it.
 */
export async function registerMobileApps(
  deps: DeeplinkDeps,
  organizationGuid: string,
  deeplinks: readonly ReadDeeplink[],
): Promise<readonly DeeplinkDraft[]> {
  const drafts: DeeplinkDraft[] = []
  for (const { newApp, ...draft } of deeplinks) {
    const appGuid = newApp ? await ensureNativeApp(deps, organizationGuid, newApp, maxApps) : draft.appGuid
    drafts.push({ ...draft, appGuid })
  }
  return drafts
}

/** Finds an app by its guid, package name or bundle id. */
async function findApp(
  deps: DeeplinkDeps,
  organizationGuid: string,
  { appGuid: named = '', os, installUrl = '' }: DeeplinkInput,
): Promise<MobileApp | undefined> {
  if (named === '') return undefined
  if (isGuid(named)) return deps.mobileApps.get(organizationGuid, named)
  if (!isNativeId(named)) {
    throw refused('Name the mobile app of a deep link by its guid, package name or bundle id.')
  }
  const apps = (await deps.mobileApps.list(organizationGuid)).filter((app) => hasNativeId(app, named))
  const wanted = os ?? (apps.length > 1 ? likelyOs(named, installUrl) : apps[0]?.association.os)
  const matching = apps.filter(({ association }) => association.os === wanted)
  // Prefer an app with a URI scheme: automatically registered apps may have none and cannot be opened.
  return matching.find(({ uriScheme }) => uriScheme !== '') ?? matching[0]
}

async function readDeeplink(deps: DeeplinkDeps, organizationGuid: string, input: DeeplinkInput): Promise<ReadDeeplink> {
  const { guid, appGuid: named = '', appUriPath = '', brandGuid = '', installType = 'no_install' } = input
  if (brandGuid !== '' && !isGuid(brandGuid)) throw refused('Name the brand of a deep link by its guid.')
  const app = await findApp(deps, organizationGuid, input)
  const isNew = app === undefined && isNativeId(named)

  // An app that is not registered yet needs an os: the one sent, or a guess from the app's id and store URL.
  const likely = isNew ? likelyOs(named, input.installUrl ?? '') : app?.association.os
  const os = deeplinkSystems.find((known) => known === (input.os ?? likely))
  if (os === undefined) {
    throw refused('Send the app_guid or app_id of a registered mobile app, or the os of the deep link: ios or android.')
  }
  if (app && app.association.os !== os) {
    throw refused(`The mobile app ${app.guid} is for ${app.association.os}, not for ${os}.`)
  }
  const known = installTypes.find((type) => type === installType)
  if (known === undefined) throw refused(`The install_type of a deep link must be one of ${installTypes.join(', ')}.`)
  if (isLonger(appUriPath, maxDeeplinkTextLength) || /[\p{Cc}\p{Cs}]/u.test(appUriPath)) {
    throw refused(`The app_uri_path must have at most ${maxDeeplinkTextLength} characters and no control characters.`)
  }
  const installUrl = input.installUrl || (app?.storeUrl ?? '')
  if (installUrl !== '' && !isInstallUrl(installUrl)) {
    throw refused('The install_url of a deep link must be an https, http, market or itms-apps URL.')
  }
  // A malformed guid counts as none: the deep link is a new one.
  return {
    guid: guid !== undefined && isGuid(guid) ? guid : undefined,
    appGuid: app?.guid ?? (isNew ? '' : named),
    newApp: isNew ? { id: named, os, uriScheme: schemeIn(appUriPath) } : undefined,
    os,
    appUriPath,
    installUrl,
    installType: known,
    brandGuid,
  }
}

/** A web or store URL of printable ASCII, safe in a Location header. */
function isInstallUrl(text: string): boolean {
  return text.length <= maxDeeplinkTextLength && /^(?:https?|market|itms-appss?):\/\/[\x21-\x7e]+$/i.test(text)
}

function refused(message: string): Refusal {
  return invalid('deeplinks', message, 'deeplinks')
}
