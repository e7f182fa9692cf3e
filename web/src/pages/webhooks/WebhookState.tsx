import { Badge } from '@mantine/core'
import type { Webhook } from '../../api/types.js'
import { webhookTexts } from '../../texts/webhooks.js'
import styles from './webhooks.module.css'

const colors = { active: 'green', alert: 'orange', inactive: 'gray', deactivated: 'red' } as const

export function WebhookState({ status }: Pick<Webhook, 'status'>) {
  const state = status as keyof typeof colors
  return (
    <Badge variant="light" color={colors[state]} className={styles[state]}>
      {webhookTexts.states[state]}
    </Badge>
  )
}
