import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, ask, withEtag } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { components, operations } from '../../api/schema.js'
import type { ShortLink } from '../../api/types.js'
import { showDone, showError, showUndo } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import { changesOf, conflictsOf, type Draft, draftOf } from '../create/draft.js'
import { leaveCampaign, placeLink, sharedUrl } from '../create/queries.js'

export function linkQuery(group: string, domain: string, hash: string) {
  return queryOptions({
    queryKey: ['groups', group, 'shortlinks', 'one', domain, hash],
    queryFn: () => ask(api.GET('/v4/shortlinks/{domain}/{hash}', { params: { path: { domain, hash } } })),
  })
}

/** A custom back-half with its former destinations. */
export function backHalfQuery(group: string, domain: string, keyword: string) {
  return queryOptions({
    queryKey: ['groups', group, 'shortlinks', 'back-half', domain, keyword],
    queryFn: () => ask(api.GET('/v4/custom_shortlinks/{domain}/{keyword}', { params: { path: { domain, keyword } } })),
  })
}

/** The changes of a link, newest first. */
export function historyQuery(group: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ['groups', group, 'shortlinks', 'history', id],
    queryFn: ({ pageParam }) => readHistory(id, { size: 10, ...(pageParam && { search_after: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
}

function readHistory(id: string, query: { size: number; search_after?: string }) {
  return ask(api.GET('/v4/shortlinks/{domain}/{hash}/history', { params: { path: pathOf(id), query } }))
}

/** Undoes a change, by its guid in the history. */
export function useRestore(group: string, link: ShortLink) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (guid: string) => {
      const params = { path: pathOf(link.id) }
      return ask(api.POST('/v4/shortlinks/{domain}/{hash}/restore', { params, body: { guid } }))
    },
    onSuccess: async () => {
      showDone(texts.link.undone)
      await refreshGroup(client, group)
    },
    onError: showError,
  })
}

/** The parts of an id `<domain>/<hash>`, or of a short URL. */
export function pathOf(address: string): { domain: string; hash: string } {
  const [domain = '', hash = ''] = address.replace(/^https?:\/\//, '').split('/')
  return { domain, hash }
}

/** What people share, without the scheme. */
export function shownAddress(link: ShortLink): string {
  return sharedUrl(link).replace(/^https?:\/\//, '')
}

/** Changes fields of the link, takes it out of campaigns, and puts it in a channel of one. */
export function useChangeLink(group: string, link: ShortLink) {
  const client = useQueryClient()
  const restore = useRestore(group, link)
  return useMutation({
    mutationFn: async ({ before, draft }: ChangeInput) => {
      const changes = await saveChanges(link, before, draft)
      const { leaves, placement } = draft
      const isChanged = Object.keys(changes).length > 0
      // Not errors of the form: the changes are saved, and must not be sent again.
      for (const campaign of leaves) await leaveCampaign(group, campaign, link.id).catch(showError)
      await placeLink(placement, link.id).catch(showError)
      return isChanged && leaves.length === 0 && !placement.channel ? await entryOf(link, changes) : undefined
    },
    onSuccess: async (guid) => {
      const saved = texts.link.saved(shownAddress(link))
      if (guid === undefined) showDone(saved)
      else showUndo(saved, () => restore.mutate(guid))
      await refreshGroup(client, group)
    },
  })
}

/** Its guid in the history. Undefined if somebody changed the link again meanwhile, or it cannot be read. */
async function entryOf(link: ShortLink, changes: LinkChange): Promise<string | undefined> {
  const { history } = await readHistory(link.id, { size: 1 }).catch(() => ({ history: [] }))
  const [newest] = history
  return newest && Object.keys(newest.after).every((name) => name in changes) ? newest.guid : undefined
}

interface ChangeInput {
  /** The link as the person saw it before the changes. */
  readonly before: Draft
  readonly draft: Draft
}

/** Somebody else changed the same fields. */
export class Conflict extends Error {
  constructor(
    readonly theirs: Draft,
    readonly history: readonly components['schemas']['HistoryEntry'][],
  ) {
    super('Conflict')
  }
}

/** Sends what is changed in no other way meanwhile. What others changed in other fields stays as it is. */
async function saveChanges(link: ShortLink, before: Draft, draft: Draft): Promise<LinkChange> {
  const wanted = changesOf(before, draft)
  if (Object.keys(wanted).length === 0) return wanted
  let refused: string | null = null
  for (;;) {
    const { theirs, etag } = await readNow(link)
    if (conflictsOf(before, draft, theirs).length > 0) {
      const { history } = await readHistory(link.id, { size: 50 }).catch(() => ({ history: [] }))
      throw new Conflict(theirs, history)
    }
    const done = changesOf(before, theirs)
    const changes = Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in done))) as LinkChange
    if (Object.keys(changes).length === 0) return changes
    try {
      // One that was refused and is still the same is altered on its way, as by a proxy that compresses.
      await patch(link, changes, etag === refused ? null : etag)
      return changes
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      refused = etag
    }
  }
}

async function readNow(link: ShortLink): Promise<{ theirs: Draft; etag: string | null }> {
  const read = api.GET('/v4/shortlinks/{domain}/{hash}', { params: { path: pathOf(link.id) }, headers: withEtag })
  return { theirs: draftOf(await ask(read)), etag: (await read).response.headers.get('etag') }
}

type LinkChange = NonNullable<operations['updateShortlink']['requestBody']>['content']['application/json']

/** Archives or restores, and offers to take that back. */
export function useArchiveLink(group: string) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ link, archived }: { link: ShortLink; archived: boolean }) => patch(link, { archived }),
    // Here, and not at the call: the dialog that called may be closed by now.
    onSuccess: async (_, { link, archived }) => {
      const undo = () => change.mutate({ link, archived: !archived })
      showUndo(archived ? texts.links.archived(1) : texts.links.restored(1), undo)
      await refreshGroup(client, group)
    },
    onError: showError,
  })
  const toggle = (link: ShortLink) => change.mutate({ link, archived: !link.archived })
  return { toggle, isPending: change.isPending }
}

/** Answers 412 if the link is no more what the ETag, if there is one, stands for. */
function patch(link: ShortLink, body: LinkChange, etag: string | null = null) {
  const params = { path: pathOf(link.id), ...(etag && { header: { 'if-match': etag } }) }
  return ask(api.PATCH('/v4/shortlinks/{domain}/{hash}', { params, body }))
}
