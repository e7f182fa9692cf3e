import { Button } from '@mantine/core'
import { texts } from '../texts/texts.js'
import { errorText } from './Problem.js'
import styles from './page.module.css'

interface DialogEndProps {
  /** What went wrong, unless it is said at a field. */
  readonly error?: unknown
  readonly isBusy: boolean
  /** Whether what is saved is known yet. */
  readonly isReady?: boolean
  /** Save, unless given. */
  readonly action?: string
  readonly onClose: () => void
}

/** The end of a form in a dialog: what went wrong, Cancel, Save. */
export function DialogEnd({ error, isBusy, isReady = true, action = texts.common.save, onClose }: DialogEndProps) {
  return (
    <>
      {Boolean(error) && (
        <p role="alert" className={styles.problem}>
          {errorText(error)}
        </p>
      )}
      <div className={styles.end}>
        <Button variant="default" onClick={onClose}>
          {texts.common.cancel}
        </Button>
        <Button type="submit" loading={isBusy} disabled={!isReady}>
          {action}
        </Button>
      </div>
    </>
  )
}
