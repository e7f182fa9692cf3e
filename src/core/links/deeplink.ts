/**
 * Deep links: how a link opens inside a mobile application on one operating system (docs/deep-links.md), and what may
 * be written down as one. What a phone is sent then is the redirect path's.
 */
import { isLonger } from '../../lib/is-longer.js'
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
import { invalid, type Refusal } from '../values/refusal.js'

export interface Deeplink extends Omit<DeeplinkDraft, 'guid'> {
  readonly guid: string
  readonly linkId: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A deep link as it will be kept. With the guid of one that the link has, it takes that one's place. */
export interface DeeplinkDraft {
  readonly guid: string | undefined
  readonly appGuid: string
  readonly os: DeeplinkOs
  /** Where inside the application; may be empty. */
  readonly appUriPath: string
  /** Where the application is installed from; may be empty. */
  readonly installUrl: string
  readonly installType: InstallType
  readonly brandGuid: string
}

export const deeplinkSystems = ['ios', 'android'] as const
export type DeeplinkOs = (typeof deeplinkSystems)[number]

export const installTypes = ['no_install', 'auto_install', 'promote_install'] as const
type InstallType = (typeof installTypes)[number]

/** A deep link as somebody describes it. */
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

/** A deep link that was checked. Its application may still have to be taken note of. */
export interface ReadDeeplink extends DeeplinkDraft {
  readonly newApp?: NativeApp | undefined
}

// Our choice: one for each application and system, with room to spare.
export const mostDeeplinks = 20
/** Of a path inside an application, and of an install URL. */
export const longestText = 2048

export async function readDeeplinks(
  deps: DeeplinkDeps,
  organizationGuid: string,
  inputs: readonly DeeplinkInput[],
): Promise<readonly ReadDeeplink[]> {
  if (inputs.length > mostDeeplinks) throw refused(`A short link has at most ${mostDeeplinks} deep links.`)
  return Promise.all(inputs.map((input) => readDeeplink(deps, organizationGuid, input)))
}

/**
 * The deep links as they are kept, with the applications that are not registered yet. To be called when everything else
 * is settled: an entry that no link uses in the end does no harm, and is found the next time.
 */
export async function registerMobileApps(
  deps: DeeplinkDeps,
  organizationGuid: string,
  deeplinks: readonly ReadDeeplink[],
): Promise<readonly DeeplinkDraft[]> {
  const settled: DeeplinkDraft[] = []
  for (const { newApp, ...draft } of deeplinks) {
    const appGuid = newApp ? await ensureNativeApp(deps, organizationGuid, newApp, maxApps) : draft.appGuid
    settled.push({ ...draft, appGuid })
  }
  return settled
}

/** An application by its guid, or by its package name or bundle id. */
async function findApp(
  deps: DeeplinkDeps,
  organizationGuid: string,
  { appGuid: named = '', os, installUrl = '' }: DeeplinkInput,
): Promise<MobileApp | undefined> {
  if (named === '') return undefined
  if (isGuid(named)) return deps.mobileApps.get(organizationGuid, named)
  if (!isNativeId(named)) {
    throw refused('The application of a deep link is named by its guid, its package name or its bundle id.')
  }
  const apps = (await deps.mobileApps.list(organizationGuid)).filter((app) => hasNativeId(app, named))
  const wanted = os ?? (apps.length > 1 ? likelyOs(named, installUrl) : apps[0]?.association.os)
  const fitting = apps.filter(({ association }) => association.os === wanted)
  // One that can be started before one that was only taken note of.
  return fitting.find(({ uriScheme }) => uriScheme !== '') ?? fitting[0]
}

async function readDeeplink(deps: DeeplinkDeps, organizationGuid: string, input: DeeplinkInput): Promise<ReadDeeplink> {
  const { guid, appGuid: named = '', appUriPath = '', brandGuid = '', installType = 'no_install' } = input
  if (brandGuid !== '' && !isGuid(brandGuid)) throw refused('The brand of a deep link is named by its guid.')
  const app = await findApp(deps, organizationGuid, input)
  const isNew = app === undefined && isNativeId(named)

  // A deep link may be written before its application is registered, if it says for which system it is.
  const likely = isNew ? likelyOs(named, input.installUrl ?? '') : app?.association.os
  const os = deeplinkSystems.find((known) => known === (input.os ?? likely))
  if (os === undefined) {
    throw refused('Name a registered application (app_guid or app_id), or the os of the deep link: ios or android.')
  }
  if (app && app.association.os !== os) {
    throw refused(`The application ${app.guid} is for ${app.association.os}, not for ${os}.`)
  }
  const known = installTypes.find((type) => type === installType)
  if (known === undefined) throw refused(`The install_type of a deep link is one of ${installTypes.join(', ')}.`)
  if (isLonger(appUriPath, longestText) || /[\p{Cc}\p{Cs}]/u.test(appUriPath)) {
    throw refused(`A path inside an application has at most ${longestText} characters and no control characters.`)
  }
  const installUrl = input.installUrl || (app?.storeUrl ?? '')
  if (installUrl !== '' && !isInstallUrl(installUrl)) {
    throw refused('The install_url of a deep link is an https, http, market or itms-apps URL.')
  }
  // A guid that none can be is no other than none: the deep link is a new one.
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

/** What can stand in a header as it is, and leads to a page or a store. */
function isInstallUrl(text: string): boolean {
  return text.length <= longestText && /^(?:https?|market|itms-appss?):\/\/[\x21-\x7e]+$/i.test(text)
}

function refused(message: string): Refusal {
  return invalid('deeplinks', message, 'deeplinks')
}
