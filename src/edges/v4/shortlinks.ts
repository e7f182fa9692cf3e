import { type ReadParts, readLink } from '../../core/links/read.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { presentLink } from './present.js'
import { refusals } from './schemas/error.js'
import { LinkPath } from './schemas/link-path.js'
import { named } from './schemas/named.js'
import { ShortLink } from './schemas/short-link.js'

export interface ShortlinkRouteParts extends Pick<ReadParts, 'links'> {
  readonly config: { readonly baseUrl: string }
}

export function shortlinkRoutes(http: TypedFastify, parts: ShortlinkRouteParts): void {
  const schema = {
    operationId: 'getShortlink',
    tags: ['Links'],
    summary: 'Read a short link',
    description: 'By its hash or by one of its custom back-halves.',
    params: LinkPath,
    response: { 200: named(ShortLink, 'The short link'), ...refusals(403, 404, 410) },
  }
  http.get('/v4/shortlinks/:domain/:hash', { schema }, async (request) => {
    const { domain, hash } = request.params
    const { link } = await readLink(parts, request.actor, domain, hash)
    return presentLink(link, parts.config.baseUrl)
  })
}
