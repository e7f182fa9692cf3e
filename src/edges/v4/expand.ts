import { Type } from 'typebox'
import { expand, type ReadDeps } from '../../core/links/read.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody } from './access.js'
import { presentExpanded } from './present.js'
import { type BaseUrlDeps, route } from './route.js'
import { addressBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { shownAddress } from './schemas/fields.js'

export type ExpandRouteDeps = ReadDeps & BaseUrlDeps

const ExpandBody = Type.Object({
  shortlink_id: Type.String({ ...addressBounds, description: '`<domain>/<hash>`, of any organization' }),
})

const ExpandedLink = Type.Object(
  {
    link: Type.String({ description: 'The short URL' }),
    id: shownAddress({ description: '`<domain>/<hash>`' }),
    long_url: Type.String({ description: 'Destination' }),
    long_urls: Type.Array(Type.String(), { description: 'All destinations, the default one first' }),
    created_at: Type.String({ description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`' }),
  },
  { description: 'The short link and its destinations' },
)

export function expandRoutes(http: TypedFastify, deps: ExpandRouteDeps): void {
  route(http, 'Links', 'expand: POST /v4/expand', {
    scope: 'links:read',
    access: everybody,
    summary: 'Expand a short link to its destination',
    description:
      'Works for any link of this service, also of other organizations. Archived links expand; deleted and expired ones do not.',
    body: ExpandBody,
    response: { 200: ExpandedLink, ...refusals(404, 410) },
    answer: async (request) => {
      const target = await expand(deps, request.body.shortlink_id)
      return presentExpanded(target, deps)
    },
  })
}
