/**
 * A request whose Host is neither that of the API nor a short domain: most often a proxy that does not pass the Host
 * header on, or a name that was not configured. The answer says so, because "not found" alone sends operators astray.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Domains } from '../../core/domains/domains.js'
import { html, sendPage } from './layout.js'

export interface HostDeps {
  readonly domains: Pick<Domains, 'find'>
  readonly config: { readonly baseUrl: string; readonly anyHost: boolean }
}

/** Answers the request and says true, or says false when its Host is one of ours. */
export function answerForeignHost({
  domains,
  config,
}: HostDeps): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const { baseUrl, anyHost } = config
  const own = new URL(baseUrl).host
  return (request, reply) => {
    const host = (request.headers.host ?? '').toLowerCase()
    const plain = host.replace(/:(?:80|443)?$/, '').replace(/\.(?=$|:)/, '')
    if (anyHost || plain === own || host === own || domains.find(host) || domains.find(plain)) return false
    if (request.headers.accept?.includes('text/html')) {
      sendPage(reply, {
        status: 404,
        title: 'This host is not known here',
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
  'Let a proxy in front pass the Host header on as it came, and name the host in --base-url or --domains, or add it with "shortlink domain add". See docs/operating.md, Behind a proxy.'
