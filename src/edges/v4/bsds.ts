import { Type } from 'typebox'
import { requireGroup } from '../../core/accounts/actor.js'
import type { Domains } from '../../core/domains/domains.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { memberOfQuery } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'

export interface BsdRouteDeps {
  readonly domains: Domains
}

// An addition: the public API has no such parameter here.
const BsdQuery = Type.Object({
  group_guid: Type.Optional(Type.String({ description: 'Only the domains this group may use' })),
})

const Bsds = Type.Object(
  { bsds: Type.Array(Type.String()) },
  { description: 'Branded short domains, in alphabetical order' },
)

export function bsdRoutes(http: TypedFastify, deps: BsdRouteDeps): void {
  route(http, 'GET /v4/bsds', {
    access: memberOfQuery,
    schema: {
      operationId: 'getBsds',
      tags: ['Domains'],
      summary: 'List the branded short domains that your groups may use',
      querystring: BsdQuery,
      response: { 200: Bsds, ...refusals(400, 403) },
    },
    answer: async ({ actor, query }) => {
      const groups = query.group_guid === undefined ? actor.groups : [requireGroup(actor, query.group_guid)]
      return { bsds: [...deps.domains.brandedOf(groups.map((group) => group.groupGuid))] }
    },
  })
}
