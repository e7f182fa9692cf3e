import { Button } from '@mantine/core'
import type { Webhook } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import page from '../../parts/page.module.css'
import { RunButton } from '../../parts/RunButton.js'
import { Secret } from '../../parts/Secret.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { useWebhookActions } from './use-webhook-actions.js'

interface SecretDialogProps {
  /** With its signing secret, as the API answers once. */
  readonly webhook: Webhook
  readonly isRotated?: boolean
  readonly onClose: () => void
}

export function SecretDialog({ webhook, isRotated = false, onClose }: SecretDialogProps) {
  const { test } = useWebhookActions(webhook)
  const secret = webhook.signing_secret ?? ''
  return (
    // Neither a click beside it nor Escape closes it: the secret would be lost.
    <Dialog
      onClose={onClose}
      title={words.secretTitle}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className={page.form}>
        <p className={page.hint}>{words.secretOnce}</p>
        <Secret value={secret} />
        {isRotated && <p className={page.hint}>{words.rotatedHint}</p>}
        <div className={page.end}>
          <RunButton run={test} variant="default">
            {words.test}
          </RunButton>
          <Button onClick={onClose}>{words.done}</Button>
        </div>
      </div>
    </Dialog>
  )
}
