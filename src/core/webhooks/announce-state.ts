/** Mails to the administrators of an organization when one of its webhooks fails, or was turned off; stores whether one was sent. */
import { OperatorError } from '../../lib/operator-error.js'
import type { GroupStore } from '../accounts/group-store.js'
import type { Mail, MailMessage } from '../sign-in/messages.js'
import { hostOf, type Webhook } from './webhook.js'
import type { StateChange, WebhookStore } from './webhook-store.js'

export interface AnnounceDeps {
  readonly groups: Pick<GroupStore, 'organizationMembers'>
  readonly mail: Mail
  readonly backgroundTasks: { run(task: () => Promise<void>): void; failed(error: unknown): void }
  readonly webhookStore: Pick<WebhookStore, 'setAlertDelivery'>
}

export function announceState(deps: AnnounceDeps, { webhook, change }: StateChange): void {
  if (change === 'recovered') return
  const { subject, text } = change === 'alerted' ? alertText(webhook) : deactivationText(webhook)
  deps.backgroundTasks.run(async () => {
    const members = await deps.groups.organizationMembers(webhook.organizationGuid)
    const recipients = members.flatMap(({ role, isActive, email }) =>
      role === 'admin' && isActive && email !== undefined ? [email] : [],
    )
    if (recipients.length === 0) {
      const why = `No administrator of organization ${webhook.organizationGuid} has an e-mail address.`
      deps.backgroundTasks.failed(new OperatorError(`Nobody is told that webhook ${webhook.guid} fails. ${why}`))
    }
    const sent = await Promise.all(recipients.map((to) => isSent(deps, { to, subject, text: text.join('\n') })))
    await deps.webhookStore.setAlertDelivery(webhook.guid, sent.includes(true) ? 'sent' : 'not_sent')
  })
}

async function isSent({ mail, backgroundTasks }: AnnounceDeps, message: MailMessage): Promise<boolean> {
  try {
    await mail.send(message)
    return mail.delivery === 'sent'
  } catch (error) {
    backgroundTasks.failed(error)
    return false
  }
}

function alertText(webhook: Webhook) {
  const { name, guid } = webhook
  return {
    subject: `The webhook "${name}" fails`,
    text: [
      `Events cannot be delivered to the webhook "${name}" (${guid}) at ${hostOf(webhook)}.`,
      '',
      'They are tried again. If nothing is delivered for 24 hours, the webhook is turned off.',
      `The delivery log shows the reason: GET /v4/webhooks/${guid}/deliveries`,
    ],
  }
}

function deactivationText(webhook: Webhook) {
  const { name, guid } = webhook
  return {
    subject: `The webhook "${name}" was turned off`,
    text: [
      `The webhook "${name}" (${guid}) at ${hostOf(webhook)} was turned off: for 24 hours nothing could be delivered, or its`,
      'receiver answered 410 Gone. Events that were waiting for it were dropped.',
      '',
      `Turn it on again with PATCH /v4/webhooks/${guid} and "is_active": true.`,
    ],
  }
}
