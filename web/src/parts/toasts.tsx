import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { texts } from '../texts/texts.js'
import { errorText } from './Problem.js'

/** The name of the button that closes a toast, for screen readers. */
const named = () => ({ closeButtonProps: { 'aria-label': texts.common.close } })

export function showDone(message: string): void {
  notifications.show({ message, ...named() })
}

export function showError(error: unknown): void {
  showProblem(errorText(error))
}

export function showProblem(message: string): void {
  notifications.show({ message, color: 'red', autoClose: 8000, ...named() })
}

/** Says what was done, with a button that takes it back. */
export function showUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: 10_000,
    ...named(),
    message: (
      <>
        {message}
        <Button
          variant="subtle"
          size="compact-sm"
          ml="sm"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          {texts.common.undo}
        </Button>
      </>
    ),
  })
}
