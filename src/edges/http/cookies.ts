/**
 * The cookies of the service: out of reach of scripts, not sent along by forms of other sites and, where the service is
 * reached by https, only ever over it and only by this very host (`__Host-`).
 */
export interface CookiePlace {
  /** Where the service is reached from outside. */
  readonly baseUrl: string
}

/** A browser that is signed in. The dashboard and the pages share it. */
export const sessionCookie = 'shortlink_session'

export function readCookie(place: CookiePlace, header: string | undefined, name: string): string | undefined {
  const wanted = `${fullName(place, name)}=`
  const found = header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(wanted))
  return found?.slice(wanted.length) || undefined
}

/** The value of a Set-Cookie header. Without an age the cookie ends with the browser; with 0 it ends now. */
export function writeCookie(place: CookiePlace, name: string, value: string, maxAge?: number): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  const secure = isSecure(place) ? '; Secure' : ''
  return `${fullName(place, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`
}

function fullName(place: CookiePlace, name: string): string {
  return isSecure(place) ? `__Host-${name}` : name
}

function isSecure({ baseUrl }: CookiePlace): boolean {
  return baseUrl.startsWith('https:')
}
