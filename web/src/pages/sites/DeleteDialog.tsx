import { useQueryClient } from '@tanstack/react-query'
import { api, ask, withEtag } from '../../api/client.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { readModified, useCarefulDelete } from '../../parts/careful-delete.js'
import { showDone } from '../../parts/toasts.js'
import { siteTexts as words } from '../../texts/sites.js'
import { type Site, shownUrl } from './model.js'
import { refreshSites } from './queries.js'

interface DeleteDialogProps {
  readonly site: Site
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Takes a site away: its address leads nowhere. */
export function DeleteDialog({ site, onDeleted, onClose }: DeleteDialogProps) {
  const client = useQueryClient()
  const params = { path: { site_id: site.site_guid } }
  const name = site.content.display_name || shownUrl(site.url)
  const remove = useCarefulDelete({
    shown: site.modified,
    read: () => readModified(api.GET('/v4/sites/{site_id}', { params, headers: withEtag })),
    remove: (headers) => ask(api.DELETE('/v4/sites/{site_id}', { params, headers })),
    onSuccess: async () => {
      onDeleted()
      showDone(words.delete.done(name))
      await refreshSites(client, site.group_guid)
    },
  })
  return (
    <ConfirmDialog
      title={words.delete.title(name)}
      action={words.delete.action}
      warning={remove.warning}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {words.delete.hint(shownUrl(site.url))}
    </ConfirmDialog>
  )
}
