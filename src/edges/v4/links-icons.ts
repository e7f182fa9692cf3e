/** Icons of the sites that links lead to, for up to 100 links in one request. An addition to the public API. */
import { Type } from 'typebox'
import { iconsOfLinks, type LinkIconsDeps } from '../../core/links/icons-of-links.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember } from './access.js'
import { route } from './route.js'
import { namedLinks } from './schemas/fields.js'

const Body = Type.Object(
  { shortlinks: namedLinks },
  { examples: [{ shortlinks: ['go.example.com/3xYz12A', 'go.example.com/4aBc34D'] }] },
)

const Answer = Type.Object(
  {
    icons: Type.Array(
      Type.Object({
        host: Type.String({ description: 'The host of destinations, with a port that is not the usual one' }),
        image: Type.String({ description: 'A PNG or JPEG of at most 48 pixels, as a `data:` URL' }),
      }),
      { description: 'One for each host whose icon the service has, in no order' },
    ),
  },
  { description: 'The icons of the sites' },
)

export function linksIconsRoutes(http: TypedFastify, deps: LinkIconsDeps): void {
  route(http, 'Links', 'getSiteIcons: POST /v4/groups/:group_guid/links/icons', {
    scope: 'links:read',
    access: groupMember,
    summary: 'Get the icons of the sites that short links lead to',
    description:
      'For lists of links. Links that are unknown, deleted or of another group are left out. Fetches nothing: the service gets the ' +
      'icon of a site when a link to it is created. Reads only; it is a POST because of its many ids.',
    body: Body,
    response: { 200: Answer },
    answer: async ({ params, body }) => {
      const icons = await iconsOfLinks(deps, params.group_guid, body.shortlinks)
      return { icons: icons.map(({ host, image }) => ({ host, image })) }
    },
  })
}
