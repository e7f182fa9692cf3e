import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../../core/clicks/visitor.js'

/** The address a request came from: of the connection, or what that many proxies in front say (`trustProxy`). */
export function addressOf(request: FastifyRequest, config: { readonly trustProxy: number }): string {
  const forwarded = config.trustProxy > 0 ? request.headers['x-forwarded-for'] : undefined
  return clientAddress(String(forwarded ?? request.socket.remoteAddress ?? ''), config.trustProxy)
}
