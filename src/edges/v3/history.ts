/** Edit, look up, save and list the links of the caller's account. */
import type { Actor } from '../../core/accounts/actor.js'
import type { Application } from '../../core/accounts/application-store.js'
import { type ApplicationDeps, findApplications } from '../../core/accounts/applications.js'
import { type AccountDeps, findInAccount, networkHistory, saveInAccount } from '../../core/links/account.js'
import { type AggregateDeps, aggregateOf, namesOf } from '../../core/links/aggregate.js'
import type { CreateDeps } from '../../core/links/create.js'
import { type KeywordDeps, saveKeyword } from '../../core/links/keywords.js'
import type { Link } from '../../core/links/link.js'
import { type ListDeps, type ListInput, listLinks } from '../../core/links/list.js'
import { notFound, readLink, writableLink } from '../../core/links/read.js'
import { parseDestination } from '../../core/links/search.js'
import { type UpdateDeps, type UpdateInput, updateLink } from '../../core/links/update.js'
import { isKeyword, parseAddress } from '../../core/values/address.js'
import { normaliseLongUrl } from '../../core/values/long-url.js'
import { argument, choice, flag, integer, limit, link, optional, repeated } from './about.js'
import type { Arguments } from './arguments.js'
import { ok, type Value } from './envelope.js'
import { invalidArgument, missing, type Status } from './errors.js'
import { eachUrl } from './links.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { epoch, hashIn, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { clientInfo, fullUser, type NameDeps, requireSelf } from './user.js'

export type HistoryDeps = AggregateDeps &
  AccountDeps &
  ApplicationDeps &
  KeywordDeps &
  NameDeps &
  CreateDeps &
  UpdateDeps &
  ListDeps &
  PresentDeps

// Examples.
const saved = {
  link: 'https://go.example.com/3xYz12A',
  aggregate_link: 'https://go.example.com/9aBc34D',
  long_url: 'https://www.example.com/sale',
  title: 'Autumn sale',
  archived: false,
  private: false,
  created_at: 1793611800,
  user_ts: 1793611800,
  modified_at: 1793611800,
  client_id: null,
}
const entry = { ...saved, note: '', tags: ['autumn'], campaign_ids: [] }

export function historyOperations(deps: HistoryDeps): Operations {
  return {
    '/v3/user/link_edit': {
      scope: 'links:write',
      summary: 'Edit a link of your account',
      description:
        '`edit` names the fields to change, separated by commas; each needs its value. An empty title or note removes it.',
      query: {
        link,
        edit: argument('Names of fields: `title`, `note`, `private`, `user_ts`, `archived`', 'title'),
        title: argument('The new title', 'Autumn sale'),
        note: optional('At most 2048 characters'),
        private: flag('Hides the title outside its group, and the creator'),
        user_ts: optional('Your own time for the link, in epoch seconds'),
        archived: flag('Hides the link from lists'),
      },
      data: { link_edit: { link: 'https://go.example.com/3xYz12A' } },
      run: (request) => edit(deps, request),
    },
    '/v3/user/link_lookup': {
      scope: 'links:read',
      summary: 'Find your links to long URLs',
      description: 'Each with an `error` if your account has none.',
      query: { url: repeated('Long URLs', 'https://www.example.com/sale') },
      data: {
        link_lookup: [
          {
            url: 'https://www.example.com/sale',
            link: 'https://go.example.com/3xYz12A',
            aggregate_link: 'https://go.example.com/9aBc34D',
          },
        ],
      },
      run: (request) => lookup(deps, request),
    },
    '/v3/user/link_save': {
      scope: 'links:create',
      summary: 'Save a long URL as a link of your account',
      description:
        'With a title, a note and a time of your own. A link that exists already is returned with `LINK_ALREADY_EXISTS`.',
      query: {
        longUrl: argument('Where the link leads', 'https://www.example.com/sale'),
        title: optional('At most 255 characters'),
        note: optional('At most 2048 characters'),
        private: flag('Hides the title outside its group, and the creator'),
        user_ts: optional('Your own time for the link, in epoch seconds'),
      },
      data: {
        link_save: {
          link: 'https://go.example.com/3xYz12A',
          aggregate_link: 'https://go.example.com/9aBc34D',
          long_url: 'https://www.example.com/sale',
          new_link: 1,
        },
      },
      run: (request) => save(deps, request),
    },
    '/v3/user/network_history': {
      scope: 'links:read',
      summary: 'List links of other users in your groups',
      description: 'Public links, newest first, from the newest 200 of each group.',
      query: {
        limit: limit(100, 20),
        offset: integer('Entries to skip', 0, 10_000),
        expand_user: flag('Makes `user` an object'),
        expand_client_id: flag('Adds `client_info`'),
      },
      data: {
        entries: [{ global_hash: '9aBc34D', saves: [{ ...saved, user: 'ben' }] }],
        limit: 20,
        offset: 0,
        total: 1,
      },
      run: (request) => network(deps, request),
    },
    '/v3/user/save_custom_domain_keyword': {
      scope: 'links:write',
      summary: 'Save a custom back-half',
      description:
        'Points it at one of your links on the same domain. `overwrite` moves a back-half of a branded domain.',
      query: {
        keyword_link: argument('The custom short URL', 'https://go.example.com/autumn'),
        target_link: argument('The link it should lead to', 'https://go.example.com/3xYz12A'),
        overwrite: flag('Moves a back-half that exists'),
      },
      data: {
        keyword_link: 'https://go.example.com/autumn',
        target_link: 'https://go.example.com/3xYz12A',
        aggregate_link: 'https://go.example.com/9aBc34D',
        is_new: true,
      },
      run: (request) => keyword(deps, request),
    },
    '/v3/user/link_history': {
      scope: 'links:read',
      summary: 'List the links of your account',
      description: 'Newest first, without archived ones unless `archived` says so.',
      query: {
        limit: limit(1000, 100),
        offset: integer('Links to skip', 0, 10_000),
        created_before: optional('Epoch seconds'),
        created_after: optional('Epoch seconds'),
        modified_after: optional('Epoch seconds'),
        archived: choice('`off` by default', 'on', 'off', 'both'),
        private: choice('`both` by default', 'on', 'off', 'both'),
        query: optional('Words in title, long URL, note, back-halves or tags'),
        exact_domain: optional('Only links to this host'),
        campaign_id: optional('Only links of this campaign'),
        link: optional('Only this link'),
        user: optional('Only yourself'),
        expand_client_id: flag('Adds `client_info`'),
      },
      data: { link_history: [{ ...entry, keyword_link: 'https://go.example.com/autumn' }], result_count: 1 },
      run: (request) => history(deps, request),
    },
    '/v3/search': {
      scope: 'links:read',
      summary: 'Search the links of your account',
      description: 'Newest first, without archived ones. An entry is that of `/v3/user/link_history`, with `url`.',
      query: {
        query: argument('Words in title, long URL, note, back-halves or tags', 'autumn'),
        limit: limit(1000, 10),
        offset: integer('Links to skip', 0, 10_000),
        domain: optional('Only links to this host'),
      },
      data: { results: [{ url: 'https://www.example.com/sale', ...entry }], result_count: 1 },
      run: (request) => search(deps, request),
    },
  }
}

/** Readers for the fields that `edit` may name. An empty title or note removes the current one. */
const editable = {
  title: (args: Arguments) => ({ title: named(args, 'title') }),
  note: (args: Arguments) => ({ note: named(args, 'note') }),
  private: (args: Arguments) => ({ private: args.flag('private') ?? nothing(args, 'private') }),
  user_ts: (args: Arguments) => ({ userTs: userTs(args) ?? nothing(args, 'user_ts') }),
  archived: (args: Arguments) => ({ archived: args.flag('archived') ?? nothing(args, 'archived') }),
}

async function edit(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const { domain, backHalf } = linkArgument(args)
  // Check access before fields.
  const link = await writableLink(deps, actor, domain, backHalf)
  const fields = args.required('edit').split(',').map(editableField)
  let input: UpdateInput = {}
  for (const field of fields) input = { ...input, ...editable[field](args) }
  await updateLink(deps, actor, link, input)
  return { data: { link_edit: { link: args.required('link') } } }
}

function editableField(text: string): keyof typeof editable {
  const name = text.trim()
  if (!Object.hasOwn(editable, name)) throw invalidArgument('edit')
  return name as keyof typeof editable
}

function named(args: Arguments, name: string): string {
  const value = args.first(name)
  if (value === undefined) throw missing(name)
  return value
}

/** The field is named in `edit`, so its value is required. */
function nothing(args: Arguments, name: string): never {
  throw args.first(name) === undefined ? missing(name) : invalidArgument(name)
}

function userTs(args: Arguments): number | undefined {
  return args.integer('user_ts', 0, Number.MAX_SAFE_INTEGER)
}

async function lookup(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const data = await eachUrl(args, async (url) => {
    const link = await findInAccount(deps, actor, normaliseLongUrl(url, deps.domains, 'url'))
    return link && (await linksOf(deps, link))
  })
  return { data: { link_lookup: data } }
}

const alreadySaved: Status = { code: 304, text: 'LINK_ALREADY_EXISTS' }

async function save(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const { link, created } = await saveInAccount(deps, actor, {
    longUrl: args.required('longUrl', 'uri'),
    title: args.text('title'),
    note: args.text('note'),
    private: args.flag('private'),
    userTs: userTs(args),
  })
  const data = { ...(await linksOf(deps, link)), long_url: link.longUrl, new_link: created ? 1 : 0 }
  return { data: { link_save: data }, status: created ? ok : alreadySaved }
}

async function keyword(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const [keywordLink, targetLink] = [args.required('keyword_link'), args.required('target_link')]
  const written = parseAddress(keywordLink)
  if (!written || !isKeyword(written.backHalf)) throw invalidArgument('keyword_link')
  if (!parseAddress(targetLink)) throw notFound()
  const overwrite = args.flag('overwrite') ?? false
  const { link, created } = await saveKeyword(deps, actor, { ...written, shortlinkId: targetLink, overwrite })
  return {
    data: {
      keyword_link: keywordLink,
      target_link: targetLink,
      aggregate_link: (await linksOf(deps, link)).aggregate_link,
      is_new: created,
    },
  }
}

async function network(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const limit = args.integer('limit', 1, 100) ?? 20
  const offset = args.integer('offset', 0, maxOffset) ?? 0
  const [expandUser, expandClients] = [args.flag('expand_user') ?? false, args.flag('expand_client_id') ?? false]
  const all = await networkHistory(deps, actor)
  const shown = all.slice(offset, offset + limit)
  const saves = shown.flatMap((entry) => entry.saves)
  const names = expandUser
    ? await namesOf(
        deps,
        saves.map(({ createdBy }) => createdBy),
      )
    : undefined
  const clients = expandClients ? await clientsOf(deps, saves) : undefined
  const entries: Value[] = []
  for (const entry of shown) {
    const listed: Value[] = []
    for (const link of entry.saves) {
      const user = names ? fullUser(link.createdBy, names.get(link.createdBy)) : link.createdBy
      listed.push({ ...(await sharedPart(deps, link, clients)), user })
    }
    entries.push({ global_hash: hashIn(await aggregateOf(deps, entry.longUrl)), saves: listed })
  }
  return { data: { entries, limit, offset, total: all.length } }
}

const maxListed = 1000
// Earlier links are read and skipped, so the offset needs a limit.
const maxOffset = 10_000
const page = 100

async function history(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const limit = args.integer('limit', 1, maxListed) ?? 100
  const offset = args.integer('offset', 0, maxOffset) ?? 0
  const expandClients = args.flag('expand_client_id') ?? false
  requireSelf(actor, args.text('user'))
  const { links, more } =
    args.text('link') === undefined
      ? await readHistory(deps, actor, filter(args), offset + limit)
      : await oneLink(deps, { actor, args })
  const shown = links.slice(offset, offset + limit)
  const clients = expandClients ? await clientsOf(deps, shown) : undefined
  const entries: Value[] = []
  for (const link of shown) entries.push(await historyEntry(deps, link, clients))
  // Exact on the last page. Before it, one more than returned, so that clients request the next page.
  return { data: { link_history: entries, result_count: links.length + (more ? 1 : 0) } }
}

async function search(deps: HistoryDeps, { actor, args }: V3Request): Promise<V3Result> {
  const [query, domain] = [args.required('query'), args.text('domain')]
  const limit = args.integer('limit', 1, maxListed) ?? 10
  const offset = args.integer('offset', 0, maxOffset) ?? 0
  // The list would refuse it by the name that it has in the history.
  if (domain !== undefined) parseDestination(domain, 'domain')
  const input = { query, hostnamePathQuery: domain, archived: false }
  const { links, more } = await readHistory(deps, actor, input, offset + limit)
  const results: Value[] = []
  for (const link of links.slice(offset)) {
    results.push({ url: link.longUrl, ...(await historyEntry(deps, link, undefined)) })
  }
  return { data: { results, result_count: links.length + (more ? 1 : 0) } }
}

type HistoryFilter = Omit<ListInput, 'size' | 'searchAfter'>

interface HistoryPage {
  readonly links: readonly Link[]
  /** True if more links follow. */
  readonly more: boolean
}

async function readHistory(deps: HistoryDeps, actor: Actor, input: HistoryFilter, size: number): Promise<HistoryPage> {
  const links: Link[] = []
  for (let searchAfter: string | undefined; ; ) {
    const part = await listLinks(deps, actor, actor.defaultGroupGuid, { ...input, size: page, searchAfter })
    links.push(...part.items)
    searchAfter = part.searchAfter
    const more = searchAfter !== undefined || links.length > size
    if (searchAfter === undefined || links.length >= size) return { links: links.slice(0, size), more }
  }
}

async function oneLink(deps: HistoryDeps, { actor, args }: V3Request): Promise<HistoryPage> {
  const { domain, backHalf } = linkArgument(args)
  return { links: [(await readLink(deps, actor, domain, backHalf)).link], more: false }
}

function filter(args: Arguments): HistoryFilter {
  const choice = (name: string) => ({ on: true, off: false, both: undefined })[args.oneOf(name, onOffBoth) ?? 'both']
  const exact = args.text('exact_domain')
  const root = args.text('root_domain')
  // A refusal names the argument that was sent.
  if (exact === undefined && root !== undefined) parseDestination(root, 'root_domain')
  return {
    query: args.text('query') ?? args.text('keyword'),
    hostnamePathQuery: exact ?? root,
    createdBefore: args.integer('created_before', 0, Number.MAX_SAFE_INTEGER),
    createdAfter: args.integer('created_after', 0, Number.MAX_SAFE_INTEGER),
    modifiedAfter: args.integer('modified_after', 0, Number.MAX_SAFE_INTEGER),
    archived: args.text('archived') === undefined ? false : choice('archived'),
    private: choice('private'),
    campaignGuid: args.text('campaign_id'),
  }
}

const onOffBoth = ['on', 'off', 'both'] as const

type Clients = ReadonlyMap<string, Application>

async function clientsOf(deps: HistoryDeps, links: readonly Link[]): Promise<Clients> {
  return findApplications(
    deps,
    links.flatMap(({ clientId }) => clientId ?? []),
  )
}

async function historyEntry(deps: HistoryDeps, link: Link, clients: Clients | undefined) {
  return {
    ...(await sharedPart(deps, link, clients)),
    note: link.note ?? '',
    tags: link.tags,
    campaign_ids: link.campaignGuids,
  }
}

/** The fields that link_history and network_history share. */
async function sharedPart(deps: HistoryDeps, link: Link, clients: Clients | undefined) {
  const [keyword] = link.keywords
  const client = clients?.get(link.clientId ?? '')
  return {
    ...(await linksOf(deps, link)),
    ...(keyword !== undefined && { keyword_link: shortUrl(deps, keyword) }),
    long_url: link.longUrl,
    title: link.title ?? null,
    archived: link.archived,
    private: link.private,
    created_at: epoch(link.createdAt),
    user_ts: epoch(link.userTs ?? link.createdAt),
    modified_at: epoch(link.modifiedAt),
    client_id: link.clientId ?? null,
    ...(clients && { client_info: client ? clientInfo(client) : null }),
  }
}

async function linksOf(deps: HistoryDeps, link: Link) {
  return {
    link: shortUrl(deps, link.id),
    aggregate_link: shortUrl(deps, await aggregateOf(deps, link.longUrl)),
  }
}
