import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether the browser says that a page of another origin made the request, a second guard beside the CSRF value. Programs
 * send neither header, and browsers send Sec-Fetch-Site only over https and to this machine.
 */
export function isFromAnotherOrigin(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers
  // `none`: the user opened the page, not another page.
  if (site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && !isOwnOrigin(origin, headers.host, new URL(baseUrl))
}

/**
 * Whether the browser says that a page of this service made the request. Pages cannot set these headers. Over plain http,
 * browsers name the page only.
 */
export function isFromOwnPage(
  { 'sec-fetch-site': site, referer, host }: IncomingHttpHeaders,
  baseUrl: string,
): boolean {
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && URL.canParse(referer) && isOwnOrigin(new URL(referer).origin, host, new URL(baseUrl))
}

/** The origin of the base URL, or of the host that was asked: the service may have more names than one. */
function isOwnOrigin(origin: string, host: string | undefined, base: URL): boolean {
  if (origin === base.origin) return true
  const [scheme, from] = origin.split('://', 2)
  return from === host?.toLowerCase() && (scheme === 'https' || (scheme === 'http' && base.protocol === 'http:'))
}
