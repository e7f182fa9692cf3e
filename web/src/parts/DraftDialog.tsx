import type { ModalProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { texts } from '../texts/texts.js'
import { ConfirmDialog } from './ConfirmDialog.js'
import { Dialog } from './Dialog.js'

interface DraftDialogProps extends Pick<ModalProps, 'title' | 'size'> {
  /** Whether something would be lost. */
  readonly isChanged: boolean
  readonly onClose: () => void
  /** The form. `leave` closes the dialog as Escape does. */
  readonly children: (leave: () => void) => ReactNode
}

/** A dialog with a form. It asks before it discards what was typed. */
export function DraftDialog({ isChanged, onClose, children, ...props }: DraftDialogProps) {
  const [isLeaving, setIsLeaving] = useState(false)
  const leave = () => (isChanged ? setIsLeaving(true) : onClose())
  const { discard } = texts
  return (
    <>
      <Dialog onClose={leave} closeOnEscape={!isLeaving} {...props}>
        {children(leave)}
      </Dialog>
      {isLeaving && (
        <ConfirmDialog
          title={discard.title}
          action={discard.action}
          isBusy={false}
          onConfirm={onClose}
          onClose={() => setIsLeaving(false)}
        >
          {discard.hint}
        </ConfirmDialog>
      )}
    </>
  )
}
