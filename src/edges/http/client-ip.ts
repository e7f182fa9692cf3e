import type { FastifyRequest } from 'fastify'
import { clientIp } from '../../core/clicks/visitor.js'

/**
 * The address a request came from: of the connection, or what that many proxies in front say (`trustProxy`). Where they
 * say nothing that is an address, it is that of the last of them.
 */
export function clientIpOf(request: FastifyRequest, config: { readonly trustProxy: number }): string {
  const forwarded = config.trustProxy > 0 ? request.headers['x-forwarded-for'] : undefined
  const said = forwarded === undefined ? '' : clientIp(String(forwarded), config.trustProxy)
  return said || clientIp(request.socket.remoteAddress ?? '', 0)
}
