/** Mails to the administrators of an organization when one of its webhooks fails, or was turned off. */
import type { GroupStore } from '../accounts/group-store.js'
import type { Mail } from '../sign-in/messages.js'
import { hostOf, type Webhook } from './webhook.js'
import type { StateChange } from './webhook-store.js'

export interface AnnounceDeps {
  readonly groups: Pick<GroupStore, 'organizationMembers'>
  readonly mail: Mail
  readonly backgroundTasks: { run(task: () => Promise<void>): void }
}

export async function announceState(deps: AnnounceDeps, { webhook, change }: StateChange): Promise<void> {
  if (change === 'recovered') return
  const members = await deps.groups.organizationMembers(webhook.organizationGuid)
  const { subject, text } = change === 'alerted' ? alertText(webhook) : deactivationText(webhook)
  for (const { role, isActive, email } of members) {
    if (role !== 'admin' || !isActive || email === undefined) continue
    deps.backgroundTasks.run(() => deps.mail.send({ to: email, subject, text: text.join('\n') }))
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
