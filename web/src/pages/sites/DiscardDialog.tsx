import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { showDone, showError } from '../../parts/toasts.js'
import { siteTexts as words } from '../../texts/sites.js'
import type { Site } from './model.js'
import { refreshSites } from './queries.js'

interface DiscardDialogProps {
  readonly site: Site
  readonly onDiscarded: () => void
  readonly onClose: () => void
}

/** The draft is as what visitors see again. */
export function DiscardDialog({ site, onDiscarded, onClose }: DiscardDialogProps) {
  const client = useQueryClient()
  const discard = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/sites/{site_id}/draft', { params: { path: { site_id: site.site_guid } } })),
    onSuccess: async () => {
      await refreshSites(client, site.group_guid)
      onDiscarded()
      onClose()
      showDone(words.discard.done)
    },
    onError: showError,
  })
  return (
    <ConfirmDialog
      title={words.discard.title}
      action={words.discard.action}
      isBusy={discard.isPending}
      onConfirm={() => discard.mutate()}
      onClose={onClose}
    >
      {words.discard.hint}
    </ConfirmDialog>
  )
}
