import { Type } from 'typebox'
import { type AvailabilityDeps, keywordAvailability } from '../../core/links/availability.js'
import {
  addCustomShortlink,
  type KeywordDeps,
  moveKeyword,
  readCustomShortlink,
  writableKeyword,
} from '../../core/links/keywords.js'
import { type ListKeywordsDeps, listKeywords } from '../../core/links/list-keywords.js'
import { namedLink } from '../../core/links/read.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { domainsOfBody, groupMember, groupWriter, textIn } from './access.js'
import { type PresentDeps, presentKeyword, presentKeywordEntry } from './present.js'
import { route } from './route.js'
import { addressBounds, noControls } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named, shownAddress } from './schemas/fields.js'
import {
  defaultSize,
  epochSeconds,
  joinedTexts,
  Pagination,
  pageFields,
  pagination,
  separated,
  text,
} from './schemas/lists.js'
import { CustomShortLink, KeywordEntry } from './schemas/short-link.js'

export type CustomShortlinkRouteDeps = KeywordDeps & ListKeywordsDeps & AvailabilityDeps & PresentDeps

const shortlinkId = Type.String({ ...addressBounds, description: 'The short link it points to, `<domain>/<hash>`' })

const AddBody = Type.Object({
  custom_shortlink: Type.String({ ...addressBounds, description: '`<domain>/<keyword>`, on a branded domain' }),
  shortlink_id: shortlinkId,
})

const MoveBody = Type.Object({ shortlink_id: shortlinkId })

export const keywordPath = { domain: Type.String({ description: 'A branded domain' }) }

const OverridesQuery = Type.Object({
  ...pageFields('Entries per page; wins over `limit`'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
  created_after: epochSeconds('Pointed to their short link at or after this time, in epoch seconds'),
  bsd: joinedTexts('On this domain; repeat it for any of several'),
})

const AvailabilityQuery = Type.Object({
  keyword: Type.String({ minLength: 1, maxLength: 255, pattern: noControls, description: 'The back-half to look for' }),
  domain: text('A short domain; by default the preferred domain of the group'),
})

const Availability = Type.Object(
  {
    domain: Type.String({ description: 'The short domain that was searched' }),
    keyword: Type.String(),
    available: Type.Boolean(),
    reason: Type.Optional(
      Type.Enum(['invalid', 'reserved', 'taken', 'held_by_group'], {
        type: 'string',
        description: 'Why not: `held_by_group` if a link of this group has it',
      }),
    ),
    shortlink_id: Type.Optional(shownAddress({ description: 'For `held_by_group`: the link that has it' })),
  },
  { description: 'Whether it is free now; only adding it decides' },
)

export function customShortlinkRoutes(http: TypedFastify, deps: CustomShortlinkRouteDeps): void {
  const tag = 'Custom short links'
  const record = named(CustomShortLink, 'The custom short link, its short link and its history')

  route(http, tag, 'createCustomShortlink: POST /v4/custom_shortlinks', {
    scope: 'links:write',
    domainsIn: domainsOfBody('shortlink_id', 'custom_shortlink'),
    access: ({ actor, body }) => {
      const id = textIn(body, 'shortlink_id')
      // Without one the request is refused next, by its schema.
      return id === undefined ? undefined : namedLink(deps, actor, id)
    },
    summary: 'Add a custom short link',
    description: 'Points a custom back-half at a short link of the same branded domain.',
    body: AddBody,
    response: { 200: record, ...refusals(402, 404, 409) },
    idempotent: true,
    answer: async ({ actor, body }, granted) => {
      const link = granted ?? (await namedLink(deps, actor, body.shortlink_id))
      return presentKeyword(await addCustomShortlink(deps, actor, link, body.custom_shortlink), deps)
    },
  })

  route(http, tag, 'updateCustomShortlink: PATCH /v4/custom_shortlinks/:domain/:keyword', {
    scope: 'links:write',
    access: ({ actor, params }) => writableKeyword(deps, actor, params),
    summary: 'Move a custom short link to another short link',
    description: 'Both must be on the same domain. The previous short link stays in the history.',
    params: keywordPath,
    body: MoveBody,
    response: { 200: record, ...refusals(402, 404, 410) },
    answer: async ({ actor, body }, keyword) =>
      presentKeyword(await moveKeyword(deps, actor, keyword, body.shortlink_id), deps),
  })

  route(http, tag, 'getCustomShortlink: GET /v4/custom_shortlinks/:domain/:keyword', {
    scope: 'links:read',
    access: ({ actor, params }) => readCustomShortlink(deps, actor, params),
    summary: 'Get a custom short link and its history',
    description: 'With the short link it points to now, and all that it pointed to before.',
    params: keywordPath,
    response: { 200: record, ...refusals(402, 404, 410) },
    answer: async (_request, keyword) => presentKeyword(keyword, deps),
  })

  route(http, tag, 'listGroupOverrides: GET /v4/groups/:group_guid/overrides', {
    scope: 'links:read',
    access: groupMember,
    summary: "List a group's custom back-halves",
    description: 'Those of the newest short link first, with what they point to now. On built-in domains too.',
    querystring: OverridesQuery,
    response: {
      200: Type.Object(
        { overrides: Type.Array(KeywordEntry), pagination: Type.Optional(Pagination) },
        { description: 'The custom back-halves; `pagination` only if `size` was sent' },
      ),
    },
    answer: async ({ actor, params, query, url }) => {
      const { search_after, size = search_after === undefined ? undefined : defaultSize, created_after, bsd } = query
      const { limit = 50, offset = 0 } = query
      const createdAfter = created_after === undefined ? undefined : created_after * 1000
      const input = { limit: size ?? limit, offset, searchAfter: search_after, createdAfter, domains: separated(bsd) }
      const { keywords, searchAfter } = await listKeywords(deps, actor, params.group_guid, input)
      return {
        overrides: keywords.map(({ address, entry }) => presentKeywordEntry(address, entry, deps)),
        ...(size !== undefined && { pagination: pagination(deps.config.baseUrl + url, searchAfter, size) }),
      }
    },
  })

  route(http, tag, 'getKeywordAvailability: GET /v4/groups/:group_guid/keyword_availability', {
    scope: ['links:read', 'links:create'],
    access: groupWriter,
    summary: 'See whether a back-half is free',
    description: 'For forms that say so while one types. It reserves nothing. On built-in domains too.',
    querystring: AvailabilityQuery,
    response: { 200: Availability },
    answer: async ({ query: { keyword, domain: wanted } }, group) => {
      const { domain, reason, linkId } = await keywordAvailability(deps, group, { keyword, domain: wanted })
      return {
        domain,
        keyword,
        available: reason === undefined,
        ...(reason !== undefined && { reason }),
        ...(linkId !== undefined && { shortlink_id: deps.domains.shown(linkId) }),
      }
    },
  })
}
