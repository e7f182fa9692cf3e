import { type Static, Type } from 'typebox'
import { requireAlso } from '../../core/accounts/scopes.js'
import { type CreateDeps, createLink } from '../../core/links/create.js'
import type { DeeplinkInput } from '../../core/links/deeplink.js'
import { addKeyword, type KeywordDeps } from '../../core/links/keywords.js'
import type { Link } from '../../core/links/link.js'
import { namedLink, readLink, removableLink, writableLink } from '../../core/links/read.js'
import { type RemoveDeps, removeLink } from '../../core/links/remove.js'
import type { RoutingRule } from '../../core/links/routing-rule.js'
import { type UpdateDeps, updateLink } from '../../core/links/update.js'
import { invalid } from '../../core/values/refusal.js'
import { sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { domainsOfBody, memberOfBody, textIn, writerOfBody } from './access.js'
import { dnsHeaders } from './errors.js'
import { linkEtag, type PresentDeps, presentLink } from './present.js'
import { route } from './route.js'
import {
  addressBounds,
  deeplinkListBounds,
  keywordBounds,
  longUrlBounds,
  routingListBounds,
  tagBounds,
  tagListBounds,
  tagListDescription,
} from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { optionalFlag, optionalText, shownAddress, tagged } from './schemas/fields.js'
import { linkInputFrom, sentLinkFields } from './schemas/link-fields.js'
import { listAnswer } from './schemas/lists.js'
import { DeeplinkBody, RoutingRuleBody, ShortLink } from './schemas/short-link.js'

export type ShortlinkRouteDeps = CreateDeps & KeywordDeps & UpdateDeps & RemoveDeps & PresentDeps

const details = {
  ...sentLinkFields,
  tags: Type.Optional(
    Type.Array(Type.String(tagBounds), {
      ...tagListBounds,
      description: tagListDescription,
    }),
  ),
  deeplinks: Type.Optional(Type.Array(DeeplinkBody, deeplinkListBounds)),
  dynamic_routing: Type.Optional(Type.Array(RoutingRuleBody, routingListBounds)),
}

const CreateBody = Type.Object(
  {
    long_url: optionalText('Destination of a new link; or else send `shortlink_id`', longUrlBounds),
    shortlink_id: optionalText('An existing link that gets `keyword`, instead of `long_url`', addressBounds),
    domain: Type.Optional(Type.String({ description: 'A short domain; by default the preferred domain of the group' })),
    group_guid: Type.Optional(Type.String({ description: 'Your default group by default' })),
    keyword: optionalText('Custom back-half: 1 to 50 letters, digits, `-` and `_`', keywordBounds),
    force_new_link: optionalFlag('Create a new link even if the group already has one for this URL'),
    ...details,
  },
  {
    examples: [
      {
        long_url: 'https://www.example.com/sale?utm_source=newsletter',
        domain: 'go.example.com',
        group_guid: 'Bd3Kx8Qm2Lp',
        keyword: 'autumn',
        title: 'Autumn sale',
        tags: ['autumn', 'newsletter'],
        expiration_at: '2027-03-31T22:00:00+0000',
        dynamic_routing: [{ long_url: 'https://www.example.fr/soldes', country_match: ['FR', 'BE'] }],
      },
    ],
  },
)

const UpdateBody = Type.Object(
  {
    ...details,
    archived: Type.Optional(Type.Boolean()),
    long_url: optionalText('New destination; the short URLs stay the same', longUrlBounds),
  },
  { examples: [{ title: 'Autumn sale, last days', long_url: 'https://www.example.com/sale/last-days' }] },
)

const Deleted = listAnswer(
  'links_deleted',
  Type.Object({ id: shownAddress({ description: '`<domain>/<hash>`' }) }),
  'The deleted links',
)

export function shortlinkRoutes(http: TypedFastify, deps: ShortlinkRouteDeps): void {
  const etag = (link: Link) => linkEtag(link, deps)
  const send = sendTagged((link: Link) => presentLink(link, deps), etag)

  route(http, 'Links', 'createShortlink: POST /v4/shortlinks', {
    scope: 'links:create',
    domainsIn: domainsOfBody('domain', 'shortlink_id'),
    access: async (request) => {
      memberOfBody(request)
      const shortlinkId = textIn(request.body, 'shortlink_id')
      // Sending both long_url and shortlink_id is an error, whichever link the id names.
      const isAlone = textIn(request.body, 'long_url') === undefined
      if (shortlinkId === undefined || !isAlone) return { group: writerOfBody(request) }
      // It changes a link, and answers with all of it.
      requireAlso(request.actor, 'links:write')
      return { link: await namedLink(deps, request.actor, shortlinkId) }
    },
    summary: 'Create a short link, or add a custom back-half to an existing one',
    description:
      'With `long_url`: returns 201 with a new link, or 200 with the link that the group already has for this URL on this ' +
      'domain, which gets `title`, `private` and the additional `tags`. With `keyword`, `expiration_at`, `deeplinks`, `dynamic_routing` or `force_new_link` it ' +
      'always creates a new link. With `shortlink_id` and `keyword`: adds the back-half to that link and returns 200.',
    body: CreateBody,
    response: {
      200: tagged(ShortLink, 'The existing link of the group, or the link that got the back-half'),
      201: tagged(ShortLink, 'The new link'),
      ...refusals(402, 404, 409, 417),
    },
    idempotent: true,
    answer: async ({ actor, body }, granted, reply) => {
      const { long_url: longUrl = '', shortlink_id, domain, keyword, force_new_link: forceNewLink } = body
      if (granted.link) return send(reply, await addKeyword(deps, actor, granted.link, { keyword, domain }))
      if (shortlink_id !== undefined)
        throw invalid('shortlinkId', 'Send long_url or shortlink_id, not both.', 'shortlinks')
      const input = { longUrl, domain, keyword, forceNewLink, ...readDetails(body) }
      const { link, created, dnsWarning } = await createLink(deps, actor, granted.group, input)
      if (dnsWarning !== undefined) reply.headers(dnsHeaders(dnsWarning))
      return send(reply.code(created ? 201 : 200), link)
    },
  })

  route(http, 'Links', 'getShortlink: GET /v4/shortlinks/:domain/:hash', {
    scope: 'links:read',
    access: ({ actor, params }) => readLink(deps, actor, params.domain, params.hash),
    summary: 'Get a short link',
    description: '`hash` may be the hash or a custom back-half.',
    response: { 200: tagged(ShortLink, 'The short link'), ...refusals(404, 410) },
    etag: ({ link }) => etag(link),
    answer: async (_request, { link }) => presentLink(link, deps),
  })

  route(http, 'Links', 'updateShortlink: PATCH /v4/shortlinks/:domain/:hash', {
    scope: 'links:write',
    access: ({ actor, params }) => writableLink(deps, actor, params.domain, params.hash),
    summary: 'Update a short link',
    description:
      'Fields that are not sent stay unchanged; lists are replaced; an empty `title` or `expiration_at` removes ' +
      'it. A new `long_url` redirects the link: it takes effect at once, and the link can no longer be deleted.',
    body: UpdateBody,
    response: { 200: tagged(ShortLink, 'The short link'), ...refusals(402, 404, 409, 410) },
    etag,
    answer: async ({ actor, body }, link, reply) => {
      const { archived, long_url: longUrl } = body
      return send(reply, await updateLink(deps, actor, link, { archived, longUrl, ...readDetails(body) }))
    },
  })

  route(http, 'Links', 'deleteShortlink: DELETE /v4/shortlinks/:domain/:hash', {
    scope: 'links:write',
    access: ({ actor, params }) => removableLink(deps, actor, params.domain, params.hash),
    summary: 'Delete a short link',
    description:
      'Only for a link that was never redirected and never had a custom back-half. Its hash is never reused.',
    response: { 200: Deleted, ...refusals(404) },
    etag,
    answer: async ({ actor }, link) => {
      const ids = await removeLink(deps, actor, link)
      return { links_deleted: ids.map((id) => ({ id: deps.domains.shown(id) })) }
    },
  })
}

type Details = Pick<Static<typeof CreateBody>, keyof typeof details>

function readDetails(body: Details) {
  const { tags, deeplinks, dynamic_routing } = body
  return {
    ...linkInputFrom(body),
    tags,
    deeplinks: deeplinks?.map(readDeeplink),
    dynamicRouting: dynamic_routing?.map(readRule),
  }
}

function readDeeplink(sent: Static<typeof DeeplinkBody>): DeeplinkInput {
  return {
    guid: sent.guid,
    appGuid: sent.app_guid ?? sent.app_id,
    os: sent.os,
    appUriPath: sent.app_uri_path,
    installUrl: sent.install_url,
    installType: sent.install_type,
    brandGuid: sent.brand_guid,
  }
}

export function readRule(sent: Static<typeof RoutingRuleBody>): RoutingRule {
  return {
    longUrl: sent.long_url,
    countryMatch: sent.country_match,
    countryExclude: sent.country_exclude,
    regionMatch: sent.region_match,
    regionExclude: sent.region_exclude,
    deviceMatch: sent.device_match,
    deviceExclude: sent.device_exclude,
    osMatch: sent.os_match,
    osExclude: sent.os_exclude,
  }
}
