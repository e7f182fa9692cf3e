/** Says what deleting means, or why the link can only be archived. */
import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { ApiError, api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { useCarefulDelete } from '../../parts/careful-delete.js'
import { Dialog } from '../../parts/Dialog.js'
import { showDone, showError } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import { draftOf } from '../create/draft.js'
import { readDraft } from './change-link.js'
import { pathOf, shownAddress, useArchiveLink } from './queries.js'

interface DeleteDialogProps {
  readonly link: ShortLink
  readonly group: string
  readonly onClose: () => void
  /** Leaves the page of the link, if that is open. */
  readonly onDeleted: () => void | Promise<void>
}

export function DeleteDialog({ link, group, onClose, onDeleted }: DeleteDialogProps) {
  const client = useQueryClient()
  const archive = useArchiveLink(group)
  const shown = shownAddress(link)
  const remove = useCarefulDelete({
    shown: draftOf(link),
    read: () => readDraft(link),
    remove: (headers) =>
      ask(api.DELETE('/v4/shortlinks/{domain}/{hash}', { params: { path: pathOf(link.id) }, headers })),
    onSuccess: async () => {
      showDone(texts.link.deleted(shown))
      // First, so that nothing asks for the link any more.
      await onDeleted()
      await refreshGroup(client, group)
    },
    onError: (error) => {
      if (!isEdited(error)) showError(error)
    },
  })
  // Whether the destination was ever changed is known to the API alone.
  if (link.custom_shortlinks.length > 0 || isEdited(remove.error)) {
    return (
      <Dialog onClose={onClose} title={texts.link.cannotDelete}>
        <Text>{texts.link.cannotDeleteHint}</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            {texts.common.back}
          </Button>
          {!link.archived && (
            <Button
              data-autofocus
              loading={archive.isPending}
              onClick={() => {
                archive.toggle(link)
                onClose()
              }}
            >
              {texts.links.archive}
            </Button>
          )}
        </Group>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={texts.link.deleteTitle(shown)}
      action={texts.common.delete}
      warning={remove.warning}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {texts.link.deleteHint(link.qr_code_ids.length)}
    </ConfirmDialog>
  )
}

function isEdited(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'BAD_REQUEST'
}
