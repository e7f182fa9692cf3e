/**
 * How a deep link opens on a phone: which URI opens the app, and the fallback when the app is not installed
 * (docs/deep-links.md). Knows phones, not HTTP responses or pages.
 */

import { parseUrl } from '../../lib/parse-url.js'
import type { MobileApp } from '../mobile-apps/mobile-app-store.js'
import type { Deeplink } from './deeplink.js'

export type Opening =
  /** Android: the browser opens the app, or the fallback URL inside the intent. */
  | { readonly how: 'redirect'; readonly appUri: string; readonly to: string }
  /** iOS: a page tries to open the app and goes to `otherwise` after a timeout. */
  | { readonly how: 'try'; readonly appUri: string; readonly otherwise: string }
  /** A page asks the visitor. */
  | { readonly how: 'choose'; readonly appUri: string; readonly to: string; readonly storeUrl: string | undefined }

export function openApp(deeplink: Deeplink, app: MobileApp, longUrl: string, userAgent: string): Opening | undefined {
  // Misconfigured: the app is for another system. The visitor gets the web page.
  if (app.association.os !== deeplink.os) return undefined
  // Registered automatically; an administrator has not set its URI scheme yet.
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
  // In-app browsers may show an error page for an intent they cannot open, so ask first.
  return promoted || inAppBrowser.test(userAgent)
    ? { how: 'choose', appUri, to, storeUrl }
    : { how: 'redirect', appUri, to }
}

/** Android's WebView. */
const inAppBrowser = /; wv\)/

/** Accepts a path with or without the scheme: people paste whole URIs. */
function pathIn({ uriScheme }: MobileApp, given: string): string {
  const prefix = `${uriScheme}://`
  const path = given.toLowerCase().startsWith(prefix) ? given.slice(prefix.length) : given
  // Percent-encoded to printable ASCII, so that it is safe in a header and in a page.
  return path.replace(/[^\x21-\x7e]+/g, (text) => percentEncoded(text))
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** Android browsers open an intent URI in the app, or its fallback URL when the app is not installed. */
function intent(scheme: string, path: string, packageName: string, fallback: string): string {
  const target = packageName === '' ? '' : `package=${packageName};`
  return `intent://${path}#Intent;scheme=${scheme};${target}S.browser_fallback_url=${encodeURIComponent(fallback)};end`
}

/** Turns market: and itms-apps: into https: URLs, which every browser opens and which work as an intent's fallback. */
function asWebUrl(text: string): string {
  return text.replace(/^market:\/\//i, 'https://play.google.com/store/apps/').replace(/^itms-appss?:\/\//i, 'https://')
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && parseUrl(text) !== undefined
}
