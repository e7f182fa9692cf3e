import type { Webhook } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { showDone } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { SecretDialog } from './SecretDialog.js'
import { useWebhookActions } from './use-webhook-actions.js'
import { WebhookDialog } from './WebhookDialog.js'

export type Step = 'edit' | 'rotate' | 'pause' | 'delete'

interface WebhookStepsProps {
  readonly webhook: Webhook
  readonly step: Step
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** The dialogs of a webhook. What cannot be taken back is asked for first. */
export function WebhookSteps({ webhook, step, onClose, onDeleted }: WebhookStepsProps) {
  const { rotate, setActive, remove, refresh } = useWebhookActions(webhook)
  const { name } = webhook
  if (step === 'edit') {
    const onSaved = () => {
      onClose()
      showDone(texts.common.saved)
      void refresh()
    }
    return (
      <WebhookDialog organization={webhook.organization_guid} webhook={webhook} onSaved={onSaved} onClose={onClose} />
    )
  }
  if (step === 'rotate') {
    if (rotate.data) return <SecretDialog webhook={rotate.data} isRotated onClose={onClose} />
    return (
      <ConfirmDialog
        title={words.rotateTitle(name)}
        action={words.rotate}
        isBusy={rotate.isPending}
        onConfirm={() => rotate.mutate()}
        onClose={onClose}
      >
        {words.rotateWarning}
      </ConfirmDialog>
    )
  }
  if (step === 'pause') {
    return (
      <ConfirmDialog
        title={words.pauseTitle(name)}
        action={words.pauseAction}
        isBusy={setActive.isPending}
        onConfirm={() => setActive.mutate(false, { onSuccess: onClose })}
        onClose={onClose}
      >
        {words.pauseWarning}
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      title={words.deleteTitle(name)}
      action={words.delete}
      warning={remove.warning}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      {words.deleteWarning}
    </ConfirmDialog>
  )
}
