/**
 * What an application says about itself when it registers, and in its document. The names of the fields are those of
 * RFC 7591: core reads them because it reads documents too, which do not come through an edge.
 */
import { isObject } from '../../lib/is-object.js'
import { registrableScopes, requireApplication } from '../accounts/applications.js'
import type { Scope } from '../accounts/scopes.js'
import { requireRedirectUriLimits } from '../sign-in/own-applications.js'
import { isPlain } from '../values/names.js'
import { invalid } from '../values/refusal.js'

export type AuthenticationMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

export interface ClientMetadata {
  readonly name: string
  /** Its home page; may be empty. */
  readonly link: string
  readonly redirectUris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly method: AuthenticationMethod
}

/** The fields of RFC 7591 that mean something here; others are ignored. */
export function readClientMetadata(metadata: unknown, methods: readonly AuthenticationMethod[]): ClientMetadata {
  const fields = isObject(metadata) ? metadata : {}
  const redirectUris = fields.redirect_uris
  if (!isListOfTexts(redirectUris) || redirectUris.length === 0) {
    throw invalid('redirectUris', 'redirect_uris must be a list of at least one URI.', 'apps')
  }
  requireRedirectUriLimits(redirectUris)
  const link = fields.client_uri ?? ''
  if (typeof link !== 'string') throw invalid('clientUri', 'client_uri must be a URL.', 'apps')
  requireApplication({ link, redirectUris })
  const [first = ''] = redirectUris
  return {
    name: nameIn(fields.client_name ?? (new URL(first).host || first.split(':', 1)[0])),
    link,
    redirectUris: [...new Set(redirectUris)],
    scopes: scopesIn(fields.scope ?? 'all'),
    method: methodIn(fields.token_endpoint_auth_method ?? methods[0], methods),
  }
}

/** People decide by it, so it is short and holds nothing that turns the text around it. */
function nameIn(name: unknown): string {
  if (typeof name === 'string' && name.trim() !== '' && isPlain(name, 100) && !/\p{Cf}/u.test(name)) return name
  throw invalid('clientName', 'client_name must have 1 to 100 characters, without control characters.', 'apps')
}

function scopesIn(scope: unknown): readonly Scope[] {
  const names = typeof scope === 'string' ? scope.split(' ') : []
  const known = registrableScopes.filter((name) => names.includes(name))
  if (known.length === 0) throw invalid('scope', `scope must name one of: ${registrableScopes.join(' ')}.`, 'apps')
  return known
}

function methodIn(method: unknown, methods: readonly AuthenticationMethod[]): AuthenticationMethod {
  const known = methods.find((each) => each === method)
  if (known === undefined) {
    const message = `token_endpoint_auth_method must be ${methods.join(', ')}.`
    throw invalid('tokenEndpointAuthMethod', message, 'apps')
  }
  return known
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
