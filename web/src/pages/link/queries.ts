import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { showDone, showError, showProblem, showUndo } from '../../parts/toasts.js'
import { historyTexts } from '../../texts/history.js'
import { texts } from '../../texts/texts.js'
import { sharedUrl } from '../create/queries.js'

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

export function readHistory(id: string, query: { size: number; search_after?: string }) {
  return ask(api.GET('/v4/shortlinks/{domain}/{hash}/history', { params: { path: pathOf(id), query } }))
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

/** Archives or restores, and offers to take that back. What others change meanwhile stays as it is. */
export function useArchiveLink(group: string) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ link, archived }: { link: ShortLink; archived: boolean }) => {
      const params = { path: pathOf(link.id) }
      return ask(api.PATCH('/v4/shortlinks/{domain}/{hash}', { params, body: { archived } }))
    },
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

export interface RestoreInput {
  /** Of the change that is undone. */
  readonly guid: string
  /** Of the newest change that the person knows: undoing an older one could overwrite one after it. */
  readonly newest: string | undefined
}

export function useRestore(group: string, link: ShortLink) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (input: RestoreInput) => (await import('./change-link.js')).restoreChange(link, input),
    onSuccess: (isRestored) => (isRestored ? showDone(texts.link.undone) : showProblem(historyTexts.changedSince)),
    onError: showError,
    onSettled: () => refreshGroup(client, group),
  })
}
