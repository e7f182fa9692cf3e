/**
 * How a deep link is carried out on a phone: which address opens the application and where the visitor goes when it is
 * not there. docs/deep-links.md describes the same for people. It knows phones, not responses or pages.
 */
import type { MobileApp } from '../mobile-apps/mobile-app-store.js'
import type { Deeplink } from './deeplink.js'

export type Opening =
  /** The browser itself finds out whether the application is there, and goes on to the web otherwise. */
  | { readonly how: 'redirect'; readonly appUri: string; readonly to: string }
  /** Somebody must try and see; when nothing happens the visitor goes on. */
  | { readonly how: 'try'; readonly appUri: string; readonly otherwise: string }
  /** The visitor is asked. */
  | { readonly how: 'choose'; readonly appUri: string; readonly to: string; readonly storeUrl: string | undefined }

export function openApp(deeplink: Deeplink, app: MobileApp, longUrl: string, userAgent: string): Opening | undefined {
  // A deep link whose application is for another system is a mistake that should not cost the visitor the page.
  if (app.association.os !== deeplink.os) return undefined
  // Nobody has said yet how the application is started.
  if (app.uriScheme === '') return undefined
  const path = pathIn(app, deeplink.appUriPath)
  const appUri = `${app.uriScheme}://${path}`
  const storeUrl = [deeplink.installUrl, app.storeUrl].map(asWebUrl).find(isWebUrl)
  const promoted = deeplink.installType === 'promote_install'
  const otherwise = deeplink.installType === 'no_install' ? longUrl : (storeUrl ?? longUrl)

  if (app.association.os === 'ios') {
    return promoted ? { how: 'choose', appUri, to: appUri, storeUrl } : { how: 'try', appUri, otherwise }
  }
  const to = intent(app.uriScheme, path, app.association.packageName, otherwise)
  // Our choice: browsers inside applications may show an error page for what they cannot open, so there nothing is
  // opened without being asked.
  return promoted || insideApplication.test(userAgent)
    ? { how: 'choose', appUri, to, storeUrl }
    : { how: 'redirect', appUri, to }
}

/** Android's WebView names itself so. */
const insideApplication = /; wv\)/

/** A path that repeats the scheme is understood as what comes after it. // Our choice */
function pathIn({ uriScheme }: MobileApp, given: string): string {
  const prefix = `${uriScheme}://`
  const path = given.toLowerCase().startsWith(prefix) ? given.slice(prefix.length) : given
  // In a header and in a page alike: what is not printable ASCII is percent-encoded, as in any URI.
  return path.replace(/[^\x21-\x7e]+/g, (text) => percentEncoded(text))
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** Browsers on Android open this address in the application, or the fallback when it is not installed. */
function intent(scheme: string, path: string, packageName: string, fallback: string): string {
  const target = packageName === '' ? '' : `package=${packageName};`
  return `intent://${path}#Intent;scheme=${scheme};${target}S.browser_fallback_url=${encodeURIComponent(fallback)};end`
}

/** The stores' own addresses in the form that every browser understands and an intent can fall back to. // Our choice */
function asWebUrl(text: string): string {
  return text.replace(/^market:\/\//i, 'https://play.google.com/store/apps/').replace(/^itms-appss?:\/\//i, 'https://')
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text)
}
