/**
 * What may be registered as a mobile application, and how it is written down. Everything here ends up in a redirect,
 * in a page or in a file that phones trust, so each field has a narrow form.
 */
import { requireName } from '../values/names.js'
import { invalid, type Refusal } from '../values/refusal.js'
import { browserSchemes } from '../values/uri-schemes.js'
import type { AndroidAssociation, Association, IosAssociation, MobileAppFields, MobileOs } from './mobile-app.js'

/** An application as somebody describes it. */
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

/** What may be changed. The system an application runs on is part of what it is. // Our choice */
export type AppChange = { readonly [Key in Exclude<keyof AppInput, 'os'>]?: AppInput[Key] | undefined }

export function fieldsOf(input: AppInput): MobileAppFields {
  return {
    name: requireName(input.name, 'mobile_apps'),
    uriScheme: schemeOf(input.uriScheme),
    storeUrl: storeUrlOf(input.storeUrl ?? ''),
    association: associationOf(blank(osOf(input.os)), input),
  }
}

/** The fields that the change touches, checked against the system of the application they are for. */
export function changedFields(current: Association, change: AppChange): Partial<MobileAppFields> {
  const { name, uriScheme, storeUrl } = change
  const touched = associationKeys.some((key) => change[key] !== undefined)
  return {
    ...(name !== undefined && { name: requireName(name, 'mobile_apps') }),
    ...(uriScheme !== undefined && { uriScheme: schemeOf(uriScheme) }),
    ...(storeUrl !== undefined && { storeUrl: storeUrlOf(storeUrl) }),
    ...(touched && { association: associationOf(current, change) }),
  }
}

const associationKeys = ['packageName', 'sha256CertFingerprints', 'appId', 'paths'] as const

function osOf(text: string): MobileOs {
  if (text !== 'ios' && text !== 'android') throw refused('os', 'The os of an application is ios or android.')
  return text
}

function blank(os: MobileOs): Association {
  return os === 'android' ? { os, packageName: '', fingerprints: [] } : { os, appId: '', paths: ['*'] }
}

function associationOf(current: Association, input: AppChange): Association {
  return current.os === 'android' ? androidAssociation(current, input) : iosAssociation(current, input)
}

function androidAssociation(current: AndroidAssociation, input: AppChange): AndroidAssociation {
  refuseForeign(input, ['appId', 'paths'], 'ios')
  const { packageName = current.packageName, sha256CertFingerprints = current.fingerprints } = input
  if (packageName !== '' && (packageName.length > longestText || !packageShape.test(packageName))) {
    throw refused('packageName', 'A package name looks like com.example.app.')
  }
  if (sha256CertFingerprints.length > mostEntries) {
    throw refused('sha256CertFingerprints', `An application has at most ${mostEntries} certificate fingerprints.`)
  }
  return { os: 'android', packageName, fingerprints: sha256CertFingerprints.map(fingerprintOf) }
}

function iosAssociation(current: IosAssociation, input: AppChange): IosAssociation {
  refuseForeign(input, ['packageName', 'sha256CertFingerprints'], 'android')
  const { appId = current.appId, paths = current.paths } = input
  if (appId !== '' && (appId.length > longestText || !appIdShape.test(appId))) {
    throw refused('appId', 'An app id is the team id, a dot and the bundle id: ABCDE12345.com.example.app.')
  }
  const sound = paths.length <= mostEntries && paths.every((path) => path.length <= longestText && pathShape.test(path))
  if (!sound) {
    const message = `Send at most ${mostEntries} paths, each "*" or beginning with a slash, with "NOT " before it to leave it out.`
    throw refused('paths', message)
  }
  return { ...current, appId, paths }
}

function refuseForeign(input: AppChange, fields: readonly (keyof AppChange)[], os: MobileOs): void {
  const foreign = fields.find((field) => input[field] !== undefined)
  if (foreign !== undefined) throw refused(foreign, `Only applications for ${os} have this. Leave it out.`)
}

// Our choice: what a real application needs, many times over.
export const mostEntries = 50
export const longestText = 255
const longestUrl = 2048

const packageShape = /^[a-z]\w*(?:\.[a-z]\w*)+$/i
const appIdShape = /^[A-Z0-9]{10}\.[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i
const pathShape = /^(?:NOT )?(?:\*|\/[\x21-\x7e]*)$/

/** `myapp`, `myapp:` and `myapp://` are understood alike. // Our choice */
function schemeOf(text: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]{0,63})(?::(?:\/\/)?)?$/i.exec(text) ?? []
  if (scheme === undefined) throw refused('uriScheme', 'A URI scheme is a word such as myapp, without "://".')
  const lower = scheme.toLowerCase()
  if (lower === 'http' || lower === 'https' || browserSchemes.has(lower))
    throw refused('uriScheme', `"${lower}" belongs to browsers. Send a scheme of the application.`)
  return lower
}

function storeUrlOf(text: string): string {
  if (text === '' || isWebUrl(text)) return text
  throw refused('storeUrl', `A store URL begins with https:// or http:// and has at most ${longestUrl} characters.`)
}

/** Written so that it can stand in a header and in a page as it is. */
function isWebUrl(text: string): boolean {
  return text.length <= longestUrl && /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text)
}

/** With or without colons, in either case. // Our choice */
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
