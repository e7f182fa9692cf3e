/**
 * Answers requests whose Host is neither the API's nor a short domain: usually a proxy that does not forward the Host
 * header, or a name that is not configured. The page says so, because "not found" alone misleads operators.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Domains } from '../../core/domains/domains.js'
import { html, sendPage } from './layout.js'

export interface HostDeps {
  readonly domains: Pick<Domains, 'find'>
  readonly config: { readonly baseUrl: string; readonly anyHost: boolean }
}

/** Returns true when it answers the request; false when the Host is known. */
export function answerForeignHost({
  domains,
  config,
}: HostDeps): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const { baseUrl, anyHost } = config
  const own = new URL(baseUrl).host
  return (request, reply) => {
    const host = hostOf(request).toLowerCase()
    const plain = host.replace(/:(?:80|443)?$/, '').replace(/\.(?=$|:)/, '')
    if (anyHost || plain === own || host === own || domains.find(host) || domains.find(plain)) return false
    if (request.headers.accept?.includes('text/html')) {
      sendPage(reply, {
        status: 404,
        title: 'Unknown host',
        content: html`<p>A <strong>shortlink</strong> service got this request for <strong>${host}</strong>, which is neither
the host of its API (<a href="${baseUrl}">${baseUrl}</a>) nor one of its short domains.</p>
<p>If you run it: ${advice}</p>`,
      })
    } else {
      const description = `${host || 'A request without Host'} is neither the host of the API (${baseUrl}) nor a short domain. ${advice}`
      reply.code(404).type('application/json; charset=utf-8')
      reply.send(JSON.stringify({ message: 'NOT_FOUND', resource: 'hosts', description }))
    }
    return true
  }
}

const advice =
  'Configure your proxy to forward the Host header unchanged, and add the host to --base-url or --domains, or with "shortlink domain add". See docs/operating.md, Behind a proxy.'

/** An absolute URL in the request line overrides the Host header (RFC 9112, 3.2.2). */
function hostOf({ originalUrl, headers }: FastifyRequest): string {
  return /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(originalUrl)?.[1] ?? headers.host ?? ''
}
