/** Reads the discovery document of a provider, also of one that was configured in a slightly different spelling. */
import type { ServerMetadata } from 'openid-client'
import { isSameIssuer, ProviderFailure } from '../../core/identity-providers/provider.js'
import { isObject } from '../../lib/is-object.js'
import { parseUrl } from '../../lib/parse-url.js'

export interface Discovered {
  readonly metadata: ServerMetadata
  /** Plain http, which is accepted on this machine alone. */
  readonly isInsecure: boolean
}

const wellKnown = '/.well-known/openid-configuration'

/** Of an issuer with or without a slash at the end, or of the URL of the document itself. */
export function discoveryUrl(issuer: string): string {
  return issuer.endsWith(wellKnown) ? issuer : issuer.replace(/\/+$/, '') + wellKnown
}

export async function discover(issuer: string, timeout: number): Promise<Discovered> {
  const url = discoveryUrl(issuer)
  const signal = AbortSignal.timeout(timeout * 1000)
  const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
  if (isBusy(answer.status)) throw new ProviderFailure('away', `${url} answers ${answer.status}`)
  if (answer.status !== 200) throw new ProviderFailure('invalid', `${url} answers ${answer.status}, not a document`)
  let document: unknown
  try {
    document = await answer.json()
  } catch (error) {
    if (error instanceof SyntaxError) throw new ProviderFailure('invalid', `${url} is not JSON`)
    throw error
  }
  return read(document, issuer, url)
}

export function read(document: unknown, issuer: string, url: string): Discovered {
  if (!isObject(document) || !('issuer' in document) || typeof document.issuer !== 'string') {
    throw new ProviderFailure('invalid', `${url} has no issuer`)
  }
  if (!isSameIssuer(issuer, document.issuer)) {
    const message = `${url} is of the issuer ${document.issuer}, not of ${issuer}. Set the issuer to exactly that one`
    throw new ProviderFailure('invalid', message)
  }
  const base = document.issuer.replace(/\/*$/, '/')
  const entries = Object.entries(document).map(([name, value]) =>
    /_endpoint$|^jwks_uri$/.test(name) && typeof value === 'string'
      ? [name, endpoint(name, value, base)]
      : [name, value],
  )
  const metadata = Object.fromEntries(entries) as ServerMetadata
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (metadata[name] === undefined) throw new ProviderFailure('invalid', `${url} has no ${name}`)
  }
  return { metadata, isInsecure: base.startsWith('http:') }
}

/** Absolute, as OpenID Connect Discovery demands. Relative ones are of the issuer. */
function endpoint(name: string, value: string, base: string): string {
  const url = parseUrl(value, base)
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url) && base.startsWith('http:'))
  if (!url || !isAllowed) throw new ProviderFailure('invalid', `the ${name} ${value} is not an https URL`)
  return url.href
}

/** `localhost` and the addresses of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** An error of its server, or too many requests: it says nothing about who asks. */
export function isBusy(status: number): boolean {
  return status >= 500 || status === 429
}
