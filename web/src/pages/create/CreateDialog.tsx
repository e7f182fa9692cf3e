import { Modal } from '@mantine/core'
import type { CreateRequest } from '../../shell/create-link.js'
import { texts } from '../../texts/texts.js'

interface CreateDialogProps {
  readonly request: CreateRequest
  readonly onClose: () => void
}

export function CreateDialog({ request, onClose }: CreateDialogProps) {
  return (
    <Modal opened onClose={onClose} title={texts.shell.createLink}>
      {request.longUrl}
    </Modal>
  )
}
