import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/values/refusal.js'

/**
 * `WWW-Authenticate` (RFC 6750, RFC 9728): tells programs where tokens come from, and which scope is missing. Also with 403,
 * which is what version 4 answers to requests without a valid token.
 */
export function bearerChallenge(error: unknown, request: FastifyRequest, baseUrl: string): string | undefined {
  if (!(error instanceof Refusal)) return undefined
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
  if (error.code === 'INSUFFICIENT_SCOPE') {
    return `Bearer error="insufficient_scope", scope="${error.details.scope ?? ''}", ${metadata}`
  }
  const isUnknown = request.actor === undefined && request.routeOptions.config.isPublic !== true
  if (!isUnknown || (error.code !== 'FORBIDDEN' && error.code !== 'SESSION_EXPIRED')) return undefined
  // RFC 6750, 3: no error code for a request without a token.
  const sent = request.headers.authorization === undefined ? '' : 'error="invalid_token", '
  return `Bearer ${sent}${metadata}`
}
