import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.js'
import { Dialog } from './Dialog.js'
import { ProblemLine } from './Problem.js'

interface ConfirmDialogProps {
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** What the person did not know when they were asked. */
  readonly warning?: ReactNode
  readonly action: string
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, children, warning, action, isBusy, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Text component="div">{children}</Text>
      {warning && (
        <Text component="div" mt="sm">
          <ProblemLine>{warning}</ProblemLine>
        </Text>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {texts.common.cancel}
        </Button>
        <Button color="red" loading={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Dialog>
  )
}
