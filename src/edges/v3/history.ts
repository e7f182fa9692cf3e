/** The links of the caller's account: edit, look up, save and list. */
import type { Application } from '../../core/accounts/application-store.js'
import { type ApplicationDeps, findApplications } from '../../core/accounts/read-application.js'
import { type AccountDeps, findInAccount, saveInAccount } from '../../core/links/account.js'
import { type AggregateDeps, aggregateOf, namesOf } from '../../core/links/aggregate.js'
import type { CreateDeps } from '../../core/links/create.js'
import type { KeywordDeps } from '../../core/links/keywords.js'
import type { Link } from '../../core/links/link.js'
import { type ListDeps, type ListInput, listLinks } from '../../core/links/list.js'
import { networkHistory } from '../../core/links/network.js'
import { notFound, readLink, writableLink } from '../../core/links/read.js'
import { saveKeyword } from '../../core/links/save-keyword.js'
import { type UpdateDeps, type UpdateInput, updateLink } from '../../core/links/update.js'
import { isKeyword, parseAddress } from '../../core/values/address.js'
import { normaliseLongUrl } from '../../core/values/long-url.js'
import type { Arguments } from './arguments.js'
import { ok } from './envelope.js'
import { invalidArgument, missing, type Status } from './errors.js'
import { eachUrl } from './links.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch, hashIn, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { clientInfo, type NameDeps, requireSelf, wholeUser } from './user.js'
import type { Value } from './xml.js'

export type HistoryDeps = AggregateDeps &
  AccountDeps &
  ApplicationDeps &
  KeywordDeps &
  NameDeps &
  CreateDeps &
  UpdateDeps &
  ListDeps &
  PresentDeps

export function historyOperations(deps: HistoryDeps): readonly Operation[] {
  return [
    { path: '/v3/user/link_edit', answer: (question) => edit(deps, question) },
    { path: '/v3/user/link_lookup', answer: (question) => lookup(deps, question) },
    { path: '/v3/user/link_save', answer: (question) => save(deps, question) },
    { path: '/v3/user/network_history', answer: (question) => network(deps, question) },
    { path: '/v3/user/save_custom_domain_keyword', answer: (question) => keyword(deps, question) },
    { path: '/v3/user/link_history', answer: (question) => history(deps, question) },
  ]
}

/** How the fields that `edit` may name are read. An empty title or note is one too: it takes away the one there was. */
const editable = {
  title: (args: Arguments) => ({ title: named(args, 'title') }),
  note: (args: Arguments) => ({ note: named(args, 'note') }),
  private: (args: Arguments) => ({ private: args.flag('private') ?? nothing(args, 'private') }),
  user_ts: (args: Arguments) => ({ userTs: userTs(args) ?? nothing(args, 'user_ts') }),
  archived: (args: Arguments) => ({ archived: args.flag('archived') ?? nothing(args, 'archived') }),
}

async function edit(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
  const { domain, backHalf } = linkArgument(args)
  // Access before fields.
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
  const value = args.given(name)
  if (value === undefined) throw missing(name)
  return value
}

/** Named in `edit`, so it is required. */
function nothing(args: Arguments, name: string): never {
  throw args.given(name) === undefined ? missing(name) : invalidArgument(name)
}

function userTs(args: Arguments): number | undefined {
  return args.integer('user_ts', 0, Number.MAX_SAFE_INTEGER)
}

async function lookup(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
  const data = await eachUrl(args, async (url) => {
    const link = await findInAccount(deps, actor, normaliseLongUrl(url, deps.domains, 'url'))
    return link && (await linksOf(deps, link))
  })
  return { data: { link_lookup: data } }
}

const alreadySaved: Status = { code: 304, text: 'LINK_ALREADY_EXISTS' }

async function save(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
  const { link, created } = await saveInAccount(deps, actor, {
    longUrl: args.required('longUrl', 'uri'),
    title: args.text('title'),
    note: args.text('note'),
    // Our choice: the user-level setting is public.
    private: args.flag('private') ?? false,
    userTs: userTs(args),
  })
  const data = { ...(await linksOf(deps, link)), long_url: link.longUrl, new_link: created ? 1 : 0 }
  return { data: { link_save: data }, status: created ? ok : alreadySaved }
}

async function keyword(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
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

async function network(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
  const limit = args.integer('limit', 1, 100) ?? 20
  const offset = args.integer('offset', 0, furthest) ?? 0
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
      const user = names ? wholeUser(link.createdBy, names.get(link.createdBy)) : link.createdBy
      listed.push({ ...(await sharedPart(deps, link, clients)), user })
    }
    entries.push({ global_hash: hashIn(await aggregateOf(deps, entry.longUrl)), saves: listed })
  }
  return { data: { entries, limit, offset, total: all.length } }
}

const mostListed = 1000
// Our choice: what comes before is read and left out, so it has an end.
const furthest = 10_000
const page = 100

async function history(deps: HistoryDeps, { actor, args }: Question): Promise<Answer> {
  const limit = args.integer('limit', 1, mostListed) ?? 100
  const offset = args.integer('offset', 0, furthest) ?? 0
  const expandClients = args.flag('expand_client_id') ?? false
  requireSelf(actor, args.text('user'))
  const { links, more } =
    args.text('link') === undefined
      ? await listed(deps, { actor, args }, offset + limit)
      : await oneLink(deps, { actor, args })
  const shown = links.slice(offset, offset + limit)
  const clients = expandClients ? await clientsOf(deps, shown) : undefined
  const entries: Value[] = []
  for (const link of shown) entries.push(await historyEntry(deps, link, clients))
  // Our choice: exact at the end of the list; before it, one more than was seen, so that clients ask for the next part.
  return { data: { link_history: entries, result_count: links.length + (more ? 1 : 0) } }
}

interface Listed {
  readonly links: readonly Link[]
  /** Others follow. */
  readonly more: boolean
}

async function listed(deps: HistoryDeps, { actor, args }: Question, size: number): Promise<Listed> {
  const input = filter(args)
  const links: Link[] = []
  for (let searchAfter: string | undefined; ; ) {
    const part = await listLinks(deps, actor, actor.defaultGroupGuid, { ...input, size: page, searchAfter })
    links.push(...part.links)
    searchAfter = part.searchAfter
    const more = searchAfter !== undefined || links.length > size
    if (searchAfter === undefined || links.length >= size) return { links: links.slice(0, size), more }
  }
}

async function oneLink(deps: HistoryDeps, { actor, args }: Question): Promise<Listed> {
  const { domain, backHalf } = linkArgument(args)
  return { links: [(await readLink(deps, actor, domain, backHalf)).link], more: false }
}

function filter(args: Arguments): Omit<ListInput, 'size' | 'searchAfter'> {
  const choice = (name: string) => ({ on: true, off: false, both: undefined })[args.oneOf(name, onOffBoth) ?? 'both']
  return {
    query: args.text('query') ?? args.text('keyword'),
    hostnamePathQuery: args.text('exact_domain', 'root_domain'),
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

async function historyEntry(deps: HistoryDeps, link: Link, clients: Clients | undefined): Promise<Value> {
  return {
    ...(await sharedPart(deps, link, clients)),
    note: link.note ?? '',
    tags: link.tags,
    campaign_ids: link.campaignGuids,
  }
}

/** What is told of a link in one's own history and in that of others. */
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
