/** The history of a short link, and undoing a change. An addition: the public API has no such operations. */
import { type Static, Type } from 'typebox'
import type { FieldsOfChange, HistoryEntry, LinkState } from '../../core/links/history-entry.js'
import type { Link } from '../../core/links/link.js'
import { type HistoryDeps, type RestoreDeps, readHistory, restoreLink } from '../../core/links/link-history.js'
import { readLink, writableLink } from '../../core/links/read.js'
import type { RoutingRule as Rule } from '../../core/links/routing-rule.js'
import { timestamp } from '../../core/values/time.js'
import { sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { linkEtag, type PresentDeps, presentLink, presentRule } from './present.js'
import { route } from './route.js'
import { guidBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, optionalFlag, optionalText, tagged } from './schemas/fields.js'
import { defaultSize, pageAnswer, pageFields, pagination } from './schemas/lists.js'
import { Deeplink, type RoutingRule, ShortLink } from './schemas/short-link.js'

export type LinkHistoryRouteDeps = HistoryDeps & RestoreDeps & PresentDeps & Parameters<typeof readLink>[0]

const HistoryDeeplink = Type.Omit(Deeplink, ['shortlink', 'created', 'modified'])

const Fields = Type.Object(
  {
    long_url: optionalText('Destination'),
    title: optionalText('Empty: none'),
    archived: optionalFlag('Whether it is archived'),
    tags: Type.Optional(Type.Array(Type.String())),
    expiration_at: optionalText('Empty: never'),
    deeplinks: Type.Optional(Type.Array(HistoryDeeplink)),
    dynamic_routing: Type.Optional(Type.Array(Type.Unsafe<Static<typeof RoutingRule>>({ $ref: 'RoutingRule#' }))),
    private: optionalFlag('As of short links'),
    forward_query: optionalFlag('As of short links'),
    note: optionalText('Empty: none'),
    user_ts: optionalText('A creation time, set by the legacy API. Empty: none'),
  },
  { title: 'ChangedFields', description: 'The fields that were changed, and no others' },
)

const Entry = Type.Object(
  {
    guid: Type.String({ examples: ['M5kQw8zL2pX'] }),
    created: moment(),
    login: Type.String({ description: 'Login of the user who made the change' }),
    client_id: optionalText('The OAuth application that was used; absent if none was'),
    before: Fields,
    after: Fields,
  },
  { title: 'HistoryEntry', description: 'A change of a short link' },
)

const RestoreBody = Type.Object({
  guid: Type.String({ ...guidBounds, description: 'Of an entry in the history', examples: ['M5kQw8zL2pX'] }),
})

export function linkHistoryRoutes(http: TypedFastify, deps: LinkHistoryRouteDeps): void {
  const etag = (link: Link) => linkEtag(link, deps)
  const send = sendTagged((link: Link) => presentLink(link, deps), etag)

  route(http, 'Links', 'listShortlinkHistory: GET /v4/shortlinks/:domain/:hash/history', {
    scope: 'links:read',
    access: ({ actor, params }) => readLink(deps, actor, params.domain, params.hash),
    summary: 'List the changes of a short link',
    description:
      'Who changed which fields, and when. Newest first; creation is not among them. Older entries are deleted after some time, by default two years.',
    querystring: Type.Object(pageFields('Entries per page', { default: defaultSize })),
    response: { 200: pageAnswer('history', Entry, 'Newest first'), ...refusals(404, 410) },
    answer: async (request, { link }) => {
      const { size = defaultSize, search_after: given } = request.query
      const { entries, searchAfter } = await readHistory(deps, link, { size, searchAfter: given })
      const url = deps.config.baseUrl + request.url
      return { history: entries.map(presentEntry), pagination: pagination(url, searchAfter, size) }
    },
  })

  route(http, 'Links', 'restoreShortlink: POST /v4/shortlinks/:domain/:hash/restore', {
    scope: 'links:write',
    access: ({ actor, params }) => writableLink(deps, actor, params.domain, params.hash),
    summary: 'Undo a change of a short link',
    description:
      'Gives the fields that the entry names the values from before it. That is a change like any other: it has the ' +
      'same rules and refusals as an update with these fields, and is an entry itself, which can be undone.',
    body: RestoreBody,
    response: { 200: tagged(ShortLink, 'The short link'), ...refusals(402, 404, 410) },
    etag,
    answer: async ({ actor, body }, link, reply) => send(reply, await restoreLink(deps, actor, link, body.guid)),
  })
}

function presentEntry(entry: HistoryEntry): Static<typeof Entry> {
  const { guid, createdAt, login, clientId, before, after } = entry
  return {
    guid,
    created: timestamp(createdAt),
    login,
    ...(clientId !== undefined && { client_id: clientId }),
    before: presentFields(before),
    after: presentFields(after),
  }
}

function presentFields(fields: FieldsOfChange): Static<typeof Fields> {
  const shown = Object.entries(fields).map(([name, value]) => {
    const [wireName, present = same] = wireNames[name as keyof LinkState]
    return [wireName, value === null ? '' : present(value as never)]
  })
  return Object.fromEntries(shown)
}

type Present<Value> = readonly [keyof Static<typeof Fields>, ((value: Value) => unknown)?]

const wireNames: { readonly [Name in keyof LinkState]-?: Present<NonNullable<LinkState[Name]>> } = {
  longUrl: ['long_url'],
  title: ['title'],
  archived: ['archived'],
  tags: ['tags'],
  expiresAt: ['expiration_at', timestamp],
  deeplinks: ['deeplinks', (deeplinks) => deeplinks.map(presentDeeplink)],
  routing: ['dynamic_routing', (rules: readonly Rule[]) => rules.map(presentRule)],
  private: ['private'],
  forwardQuery: ['forward_query'],
  note: ['note'],
  userTs: ['user_ts', timestamp],
}

/** `longUrl, title` -> `long_url, title`. */
export function presentFieldNames(names: string): string {
  return names.replace(/\w+/g, (name) => wireNames[name as keyof LinkState]?.[0] ?? name)
}

function presentDeeplink(deeplink: LinkState['deeplinks'][number]): Static<typeof HistoryDeeplink> {
  return {
    guid: deeplink.guid ?? '',
    app_guid: deeplink.appGuid,
    os: deeplink.os,
    app_uri_path: deeplink.appUriPath,
    install_url: deeplink.installUrl,
    install_type: deeplink.installType,
    brand_guid: deeplink.brandGuid,
  }
}

function same(value: unknown): unknown {
  return value
}
