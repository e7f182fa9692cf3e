import { Modal, type ModalProps } from '@mantine/core'
import { useReturnFocus } from './return-focus.js'

/** A dialog that is mounted while it is open. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useReturnFocus()
  return <Modal opened {...props} />
}
