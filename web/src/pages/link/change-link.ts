/** Changes of a link that others may change meanwhile: saving its form, undoing a change, and deleting it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, withEtag } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import { Conflict, type Edit, ifUnchanged, saveMerged, tagged } from '../../api/save-merged.js'
import type { ShortLink } from '../../api/types.js'
import { showDone, showError, showUndo } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import { changesOf, type Draft, draftOf, withFieldsOf } from '../create/draft.js'
import { leaveCampaign, placeLink } from '../create/queries.js'
import { pathOf, type RestoreInput, readHistory, shownAddress, useRestore } from './queries.js'

export const linkFields = { changesOf, withFieldsOf }

type LinkChange = Partial<ReturnType<typeof changesOf>>

/** Changes fields of the link, takes it out of campaigns, and puts it in a channel of one. */
export function useChangeLink(group: string, link: ShortLink) {
  const client = useQueryClient()
  const restore = useRestore(group, link)
  return useMutation({
    mutationFn: async (edit: Edit<Draft>) => {
      const params = { path: pathOf(link.id) }
      const changes = await saveMerged(edit, {
        ...linkFields,
        read: () => readDraft(link),
        send: (body, headers) => ask(api.PATCH('/v4/shortlinks/{domain}/{hash}', { params, body, headers })),
      })
      const { leaves, placement } = edit.draft
      const isChanged = Object.keys(changes).length > 0
      // Not errors of the form: the changes are saved, and must not be sent again.
      for (const campaign of leaves) await leaveCampaign(group, campaign, link.id).catch(showError)
      await placeLink(placement, link.id).catch(showError)
      return isChanged && leaves.length === 0 && !placement.channel ? await entryOf(link, changes) : undefined
    },
    onSuccess: async (guid) => {
      const saved = texts.link.saved(shownAddress(link))
      if (guid === undefined) showDone(saved)
      else showUndo(saved, () => restore.mutate({ guid, newest: guid }))
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

/** As a form has it. */
export async function readDraft(link: ShortLink) {
  const [found, etag] = await readLink(link)
  return [draftOf(found), etag] as const
}

function readLink({ id }: ShortLink) {
  return tagged(api.GET('/v4/shortlinks/{domain}/{hash}', { params: { path: pathOf(id) }, headers: withEtag }))
}

/** Undoes a change, unless somebody made another one meanwhile. Returns whether it did. */
export async function restoreChange(link: ShortLink, { guid, newest }: RestoreInput): Promise<boolean> {
  const readNewest = async () => {
    const [, etag] = await readLink(link)
    return [(await readHistory(link.id, { size: 1 })).history[0]?.guid, etag] as const
  }
  const params = { path: pathOf(link.id) }
  try {
    await ifUnchanged(newest, readNewest, (headers) =>
      ask(api.POST('/v4/shortlinks/{domain}/{hash}/restore', { params, body: { guid }, headers })),
    )
    return true
  } catch (error) {
    if (error instanceof Conflict) return false
    throw error
  }
}
