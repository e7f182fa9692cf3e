import { type Static, Type } from 'typebox'
import { type BulkDeps, changeLinks, linksPerChange } from '../../core/links/bulk.js'
import { type ListDeps, type ListedLinks, type ListInput, listLinks } from '../../core/links/list.js'
import { present, together } from '../http/described.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember, groupWriter } from './access.js'
import { presentLink } from './present.js'
import { route } from './route.js'
import {
  addressBounds,
  changedLinksBounds,
  cursorBounds,
  destinationBounds,
  noControls,
  queryBounds,
  tagBounds,
  tagListBounds,
} from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { GroupPath } from './schemas/group.js'
import { named } from './schemas/named.js'
import { ShortLink } from './schemas/short-link.js'

export interface GroupShortlinkRouteDeps extends ListDeps, BulkDeps {
  readonly config: { readonly baseUrl: string }
}

const ListQuery = Type.Object({
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Links on a page' })),
  search_after: text('Continues a list: `pagination.search_after` of the page before', cursorBounds),
  query: text(
    'Words that occur in the title, the long URL, a back-half or a tag; all of them, in any case',
    queryBounds,
  ),
  hostname_path_query: text(
    'Host, path or both of the destination: `example.com`, `example.com/blog`, `/blog`. Subdomains match, and ' +
      'everything below the path; port, query and fragment do not matter.',
    destinationBounds,
  ),
  created_before: moment('Made before this moment, in epoch seconds'),
  created_after: moment('Made at this moment or later, in epoch seconds'),
  archived: choice('off', 'Archived links'),
  deeplinks: choice('both', 'Links with deep links'),
  domain_deeplinks: choice('both', 'Links with deep links, on a branded domain'),
  custom_shortlink: choice('both', 'Links with a custom back-half'),
  has_qr_codes: choice('both', 'Links with QR codes'),
  is_expired: choice('both', 'Links that have expired'),
  has_expiration: choice('both', 'Links that expire some time'),
  has_dynamic_routing: choice('both', 'Links with routing rules'),
  campaign_guid: text('Links that a campaign carries'),
  channel_guid: text('Links that a channel carries. Overrides all other parameters but the ones of paging.'),
  tags: texts('Links that have this tag; repeated: all of these'),
  launchpad_ids: texts('Links on one of these launchpads; may be repeated'),
  encoding_login: texts('Links that one of these users made; may be repeated'),
})

const LinkList = Type.Object(
  {
    links: Type.Array(named(ShortLink, 'A short link')),
    pagination: Type.Object({
      next: Type.String({ description: 'URL of the next page; empty on the last one' }),
      search_after: Type.String({ description: 'Continues the list; empty on the last page' }),
      size: Type.Integer({ description: 'As asked' }),
    }),
  },
  { description: 'A page of the list' },
)

const BulkBody = Type.Object(
  {
    action: Type.Enum(['archive', 'edit_tags'], { type: 'string', description: 'What to do with the links' }),
    links: Type.Array(Type.String(addressBounds), {
      ...changedLinksBounds,
      description: `Ids of 1 to ${linksPerChange} short links of the group`,
    }),
    archive: Type.Optional(Type.Boolean({ description: 'For `archive`: false brings the links back' })),
    add_tags: Type.Optional(Type.Array(Type.String(tagBounds), { ...tagListBounds, description: 'For `edit_tags`' })),
    remove_tags: Type.Optional(
      Type.Array(Type.String(tagBounds), { description: 'For `edit_tags`; removed before others are added' }),
    ),
  },
  together(
    { action: { enum: ['archive'] }, archive: present('boolean') },
    { action: { enum: ['edit_tags'] }, add_tags: present('array') },
    { action: { enum: ['edit_tags'] }, remove_tags: present('array') },
  ),
)

const ChangedLinks = Type.Object({ links: Type.Array(Type.String()) }, { description: 'Ids of the links changed' })

export function groupShortlinkRoutes(http: TypedFastify, deps: GroupShortlinkRouteDeps): void {
  const { baseUrl } = deps.config
  route(http, 'GET /v4/groups/:group_guid/shortlinks', {
    access: groupMember,
    schema: {
      operationId: 'listGroupShortlinks',
      tags: ['Groups'],
      summary: "List a group's short links",
      description: 'Newest first. Following `pagination.next` shows every link once, also while others are being made.',
      params: GroupPath,
      querystring: ListQuery,
      response: { 200: LinkList, ...refusals(400, 402, 403, 404) },
    },
    answer: async (request) => {
      const input = inputFrom(request.query)
      const listed = await listLinks(deps, request.actor, request.params.group_guid, input)
      return {
        links: listed.links.map((link) => presentLink(link, deps)),
        pagination: pagination(baseUrl + request.url, listed, input.size),
      }
    },
  })

  route(http, 'PATCH /v4/groups/:group_guid/shortlinks', {
    access: groupWriter,
    schema: {
      operationId: 'updateGroupShortlinks',
      tags: ['Groups'],
      summary: 'Change many short links at once',
      description: 'Archives links, brings them back, or edits their tags: all of them, or none when one cannot be.',
      params: GroupPath,
      body: BulkBody,
      response: { 200: ChangedLinks, ...refusals(400, 403, 404, 406, 413, 422) },
    },
    answer: async (request) => {
      const { action, links, archive, add_tags, remove_tags } = request.body
      const input = { action, links, archive, addTags: add_tags, removeTags: remove_tags }
      return { links: [...(await changeLinks(deps, request.actor, request.params.group_guid, input))] }
    },
  })
}

function inputFrom(query: Static<typeof ListQuery>): ListInput {
  return {
    size: query.size ?? 50,
    searchAfter: query.search_after,
    query: query.query,
    hostnamePathQuery: query.hostname_path_query,
    createdBefore: query.created_before,
    createdAfter: query.created_after,
    archived: chosen(query.archived ?? 'off'),
    deeplinks: chosen(query.deeplinks),
    domainDeeplinks: chosen(query.domain_deeplinks),
    customShortlink: chosen(query.custom_shortlink),
    hasQrCodes: chosen(query.has_qr_codes),
    isExpired: chosen(query.is_expired),
    hasExpiration: chosen(query.has_expiration),
    hasDynamicRouting: chosen(query.has_dynamic_routing),
    campaignGuid: query.campaign_guid,
    channelGuid: query.channel_guid,
    tags: query.tags ?? [],
    launchpadIds: query.launchpad_ids ?? [],
    encodingLogins: query.encoding_login ?? [],
  }
}

/** `both` is the same as not asking. */
function chosen(choice: 'on' | 'off' | 'both' = 'both'): boolean | undefined {
  return choice === 'both' ? undefined : choice === 'on'
}

/** The next page is asked for as this one was. `page`, which older clients send, means nothing. */
function pagination(asked: string, { searchAfter }: ListedLinks, size: number): Static<typeof LinkList>['pagination'] {
  if (searchAfter === undefined) return { next: '', search_after: '', size }
  const next = new URL(asked)
  next.searchParams.delete('page')
  next.searchParams.set('search_after', searchAfter)
  return { next: next.href, search_after: searchAfter, size }
}

function text(description: string, more = {}) {
  return Type.Optional(Type.String({ pattern: noControls, ...more, description }))
}

function texts(description: string) {
  return Type.Optional(Type.Array(Type.String({ pattern: noControls }), { description }))
}

/** Our choice: until the end of the year 9999, so that milliseconds are noticed and refused. */
function moment(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }))
}

function choice(byDefault: 'off' | 'both', what: string) {
  const description = `${what}: \`on\` only these, \`off\` all but these, \`both\` does not matter`
  return Type.Optional(Type.Enum(['on', 'off', 'both'], { type: 'string', default: byDefault, description }))
}
