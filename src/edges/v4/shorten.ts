import { Type } from 'typebox'
import { type CreateDeps, createLink } from '../../core/links/create.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { domainsOfBody, writerOfBody } from './access.js'
import { dnsHeaders } from './errors.js'
import { presentShortened } from './present.js'
import { route } from './route.js'
import { longUrlBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { sentLinkFields } from './schemas/link-fields.js'
import { ShortenedLink } from './schemas/short-link.js'

export interface ShortenRouteDeps extends CreateDeps {
  readonly config: { readonly baseUrl: string }
}

const ShortenBody = Type.Object({
  long_url: Type.String({
    ...longUrlBounds,
    description: 'Destination: an http or https URL of at most 2048 characters',
  }),
  domain: Type.Optional(Type.String({ description: 'A short domain; the one the group prefers by default' })),
  group_guid: Type.Optional(Type.String({ description: "The caller's default group by default" })),
  force_new_link: Type.Optional(Type.Boolean({ description: 'Make a new link even if the group has one' })),
  private: sentLinkFields.private,
})

export function shortenRoutes(http: TypedFastify, deps: ShortenRouteDeps): void {
  route(http, 'Links', 'shorten: POST /v4/shorten', {
    scope: 'links:create',
    domainsIn: domainsOfBody('domain'),
    access: writerOfBody,
    summary: 'Shorten a long URL',
    description: 'Answers 201 with a new link, or 200 with the one the group already has for this URL on this domain.',
    body: ShortenBody,
    response: {
      200: named(ShortenedLink, 'The group had this link already'),
      201: named(ShortenedLink, 'The new link'),
      ...refusals(417),
    },
    idempotent: true,
    answer: async ({ actor, body }, group, reply) => {
      const { long_url: longUrl, domain, force_new_link: forceNewLink } = body
      const input = { longUrl, domain, forceNewLink, private: body.private }
      const { link, created, dnsWarning } = await createLink(deps, actor, group, input)
      if (dnsWarning !== undefined) reply.headers(dnsHeaders(dnsWarning))
      reply.code(created ? 201 : 200)
      return presentShortened(link, deps)
    },
  })
}
