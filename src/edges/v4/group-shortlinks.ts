import { type Static, Type } from 'typebox'
import { type BulkDeps, changeLinks } from '../../core/links/bulk.js'
import { type ListDeps, type ListInput, listLinks } from '../../core/links/list.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember, groupWriter } from './access.js'
import { presentLink } from './present.js'
import { type BaseUrlDeps, route } from './route.js'
import { addressBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named, optionalFlag } from './schemas/fields.js'
import { changeOfMany, itemPage, itemPaging } from './schemas/item-lists.js'
import { linkFilterInput, linkFilters } from './schemas/link-filters.js'
import { listAnswer, Pagination, pagination } from './schemas/lists.js'
import { ShortLink } from './schemas/short-link.js'

export type GroupShortlinkRouteDeps = ListDeps & BulkDeps & BaseUrlDeps

const ListQuery = Type.Object({
  ...itemPaging('Links'),
  // An addition to the public API.
  total: optionalFlag('Count the links that match, in `pagination.total`', { default: false }),
  ...linkFilters,
})

const Counted = Type.Object(
  {
    ...Pagination.properties,
    total: Type.Optional(Type.Integer({ description: 'With `total=true`: the number of links that match' })),
    total_is_exact: Type.Optional(
      Type.Boolean({
        description:
          'False: at least `total` match. Counting stops after 100,000 links of the group or tag, and a search by ' +
          '`query` or `hostname_path_query` after 10,000 matches.',
      }),
    ),
  },
  { title: 'Pagination with total' },
)
const LinkList = Type.Object(
  { ...listAnswer('links', named(ShortLink, 'A short link'), '').properties, pagination: Counted },
  { description: 'A page of short links' },
)

const linkId = { bounds: addressBounds, named: 'short links', example: 'go.example.com/3xYz12A' }
const BulkBody = changeOfMany('links', 'links', linkId)

const ChangedLinks = listAnswer('links', Type.String(), 'Ids of the updated links')

export function groupShortlinkRoutes(http: TypedFastify, deps: GroupShortlinkRouteDeps): void {
  const { baseUrl } = deps.config
  route(http, 'Groups', 'listGroupShortlinks: GET /v4/groups/:group_guid/shortlinks', {
    scope: 'links:read',
    access: groupMember,
    summary: "List a group's short links",
    description:
      'Newest first. Following `pagination.next` returns every link exactly once, even while links are being created.',
    querystring: ListQuery,
    response: { 200: LinkList, ...refusals(402, 404) },
    answer: async (request) => {
      const input = inputFrom(request.query)
      const { items, searchAfter, total } = await listLinks(deps, request.actor, request.params.group_guid, input)
      return {
        links: items.map((link) => presentLink(link, deps)),
        pagination: {
          ...pagination(baseUrl + request.url, searchAfter, input.size, ['page', 'total']),
          ...(input.total && total && { total: total.count, total_is_exact: total.isExact }),
        },
      }
    },
  })

  route(http, 'Groups', 'updateGroupShortlinks: PATCH /v4/groups/:group_guid/shortlinks', {
    scope: 'links:write',
    access: groupWriter,
    summary: 'Update several short links at once',
    description:
      'Archives links, restores them, or edits their tags. All or nothing: if one link cannot be updated, none is.',
    body: BulkBody,
    response: { 200: ChangedLinks, ...refusals(404) },
    answer: async (request) => {
      const { action, links, archive, add_tags, remove_tags } = request.body
      const input = { action, links, archive, addTags: add_tags, removeTags: remove_tags }
      return { links: [...(await changeLinks(deps, request.actor, request.params.group_guid, input))] }
    },
  })
}

function inputFrom(query: Static<typeof ListQuery>): ListInput {
  return { ...itemPage(query), ...linkFilterInput(query), total: query.total }
}
