/**
 * Validates the fields of a mobile app. They end up in redirects, pages and association files that phones trust, so each
 * field has a narrow format.
 */

import { parseUrl } from '../../lib/parse-url.js'
import { browserSchemes } from '../values/long-url.js'
import { requireName } from '../values/names.js'
import { invalid, type Refusal } from '../values/refusal.js'
import type { AndroidAssociation, Association, IosAssociation, MobileAppFields, MobileOs } from './mobile-app-store.js'

/** A mobile app as the caller describes it. */
export interface AppInput {
  readonly name: string
  readonly os: string
  readonly uriScheme: string
  readonly storeUrl?: string | undefined
  readonly packageName?: string | undefined
  readonly sha256CertFingerprints?: readonly string[] | undefined
  readonly appId?: string | undefined
  readonly paths?: readonly string[] | undefined
}

/** The changeable fields. The OS cannot change, because the other fields depend on it. */
export type AppChange = { readonly [Key in Exclude<keyof AppInput, 'os'>]?: AppInput[Key] | undefined }

export function fieldsOf(input: AppInput): MobileAppFields {
  return {
    name: requireName(input.name, 'mobile_apps'),
    uriScheme: schemeOf(input.uriScheme),
    storeUrl: storeUrlOf(input.storeUrl ?? ''),
    association: associationOf(emptyAssociation(osOf(input.os)), input),
  }
}

/** The validated fields of a change, given the OS of the current association. */
export function changedFields(current: Association, change: AppChange): Partial<MobileAppFields> {
  const { name, uriScheme, storeUrl } = change
  const associationChanges = associationKeys.some((key) => change[key] !== undefined)
  return {
    ...(name !== undefined && { name: requireName(name, 'mobile_apps') }),
    ...(uriScheme !== undefined && { uriScheme: schemeOf(uriScheme) }),
    ...(storeUrl !== undefined && { storeUrl: storeUrlOf(storeUrl) }),
    ...(associationChanges && { association: associationOf(current, change) }),
  }
}

const associationKeys = ['packageName', 'sha256CertFingerprints', 'appId', 'paths'] as const

function osOf(text: string): MobileOs {
  if (text !== 'ios' && text !== 'android') throw refused('os', 'The os of a mobile app is ios or android.')
  return text
}

function emptyAssociation(os: MobileOs): Association {
  return os === 'android' ? { os, packageName: '', fingerprints: [] } : { os, appId: '', paths: ['*'] }
}

function associationOf(current: Association, input: AppChange): Association {
  return current.os === 'android' ? androidAssociation(current, input) : iosAssociation(current, input)
}

function androidAssociation(current: AndroidAssociation, input: AppChange): AndroidAssociation {
  refuseFieldsOf(input, ['appId', 'paths'], 'ios')
  const { packageName = current.packageName, sha256CertFingerprints = current.fingerprints } = input
  if (packageName !== '' && (packageName.length > maxTextLength || !packageShape.test(packageName))) {
    throw refused('packageName', 'A package name looks like com.example.app.')
  }
  if (sha256CertFingerprints.length > maxEntries) {
    throw refused('sha256CertFingerprints', `A mobile app has at most ${maxEntries} certificate fingerprints.`)
  }
  return { os: 'android', packageName, fingerprints: sha256CertFingerprints.map(fingerprintOf) }
}

function iosAssociation(current: IosAssociation, input: AppChange): IosAssociation {
  refuseFieldsOf(input, ['packageName', 'sha256CertFingerprints'], 'android')
  const { appId = current.appId, paths = current.paths } = input
  if (appId !== '' && (appId.length > maxTextLength || !appIdShape.test(appId))) {
    throw refused('appId', 'An app id is the team id, a dot and the bundle id: ABCDE12345.com.example.app.')
  }
  const valid =
    paths.length <= maxEntries && paths.every((path) => path.length <= maxTextLength && pathShape.test(path))
  if (!valid) {
    const message = `Send at most ${maxEntries} paths, each "*" or beginning with a slash. Put "NOT " before a path to exclude it.`
    throw refused('paths', message)
  }
  return { ...current, appId, paths }
}

function refuseFieldsOf(input: AppChange, fields: readonly (keyof AppChange)[], os: MobileOs): void {
  const foreign = fields.find((field) => input[field] !== undefined)
  if (foreign !== undefined) throw refused(foreign, `Only mobile apps for ${os} have this field. Leave it out.`)
}

// Many times what a real app needs.
export const maxEntries = 50
export const maxTextLength = 255
const maxUrlLength = 2048

const packageShape = /^[a-z]\w*(?:\.[a-z]\w*)+$/i
const appIdShape = /^[A-Z0-9]{10}\.[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i
const pathShape = /^(?:NOT )?(?:\*|\/[\x21-\x7e]*)$/

/** Accepts `myapp`, `myapp:` and `myapp://`. */
function schemeOf(text: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]{0,63})(?::(?:\/\/)?)?$/i.exec(text) ?? []
  if (scheme === undefined) throw refused('uriScheme', 'A URI scheme is a word such as myapp, without "://".')
  const lower = scheme.toLowerCase()
  if (lower === 'http' || lower === 'https' || browserSchemes.has(lower))
    throw refused('uriScheme', `"${lower}" is reserved for browsers. Send the scheme of the mobile app.`)
  return lower
}

function storeUrlOf(text: string): string {
  if (text === '' || isWebUrl(text)) return text
  throw refused('storeUrl', `A store URL begins with https:// or http:// and has at most ${maxUrlLength} characters.`)
}

/** Safe to copy into a header and a page unescaped. */
function isWebUrl(text: string): boolean {
  return text.length <= maxUrlLength && /^https?:\/\/[\x21-\x7e]+$/i.test(text) && parseUrl(text) !== undefined
}

/** Accepts fingerprints with or without colons, in either case. */
function fingerprintOf(text: string): string {
  const digits = text.replaceAll(':', '')
  if (!/^[0-9a-f]{64}$/i.test(digits)) {
    throw refused('sha256CertFingerprints', 'A fingerprint is a SHA-256 as hex digits: 14:6D:E9:... (32 pairs).')
  }
  return (digits.toUpperCase().match(/../g) ?? []).join(':')
}

function refused(field: keyof AppInput, message: string): Refusal {
  return invalid(field, message, 'mobile_apps')
}
