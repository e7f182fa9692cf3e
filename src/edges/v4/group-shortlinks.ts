import { type Static, Type } from 'typebox'
import { type BulkDeps, changeLinks } from '../../core/links/bulk.js'
import { type ListDeps, type ListInput, listLinks } from '../../core/links/list.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { groupMember, groupWriter } from './access.js'
import { presentLink } from './present.js'
import { type BaseUrlDeps, route } from './route.js'
import { addressBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named, optionalFlag } from './schemas/fields.js'
import { changeOfMany, itemFilters, itemListInput } from './schemas/item-lists.js'
import {
  choice,
  chosen,
  joinedTexts,
  listAnswer,
  Pagination,
  pagination,
  separated,
  text,
  texts,
} from './schemas/lists.js'
import { ShortLink } from './schemas/short-link.js'

export type GroupShortlinkRouteDeps = ListDeps & BulkDeps & BaseUrlDeps

const filters = itemFilters('Links', 'note, back-halves')
const ListQuery = Type.Object({
  ...filters.search,
  // Additions to the public API.
  total: optionalFlag('Count the links that match, in `pagination.total`', { default: false }),
  domain: text('Links on this short domain', bounds({ maxLength: 255 })),
  ...filters.created,
  deeplinks: choice('both', 'Links with deep links'),
  domain_deeplinks: choice('both', 'Links with deep links, on a branded domain'),
  custom_shortlink: choice('both', 'Links with a custom back-half'),
  has_qr_codes: choice('both', 'Links with QR codes'),
  ...filters.expiry,
  campaign_guid: text('Links in this campaign'),
  channel_guid: text('Links in this channel. Overrides all other filters; paging still applies.'),
  ...filters.tags,
  launchpad_ids: texts('Links on this launchpad; repeat it for any of several'),
  encoding_login: joinedTexts('Links created by this user; repeat it for any of several'),
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
  return {
    ...itemListInput(query),
    total: query.total,
    domain: query.domain,
    deeplinks: chosen(query.deeplinks),
    domainDeeplinks: chosen(query.domain_deeplinks),
    customShortlink: chosen(query.custom_shortlink),
    hasQrCodes: chosen(query.has_qr_codes),
    campaignGuid: query.campaign_guid,
    channelGuid: query.channel_guid,
    launchpadIds: query.launchpad_ids ?? [],
    encodingLogins: separated(query.encoding_login),
  }
}
