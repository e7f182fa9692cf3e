import { Badge } from '@mantine/core'
import { CircleCheck, CirclePause, CircleX, TriangleAlert } from 'lucide-react'
import type { Webhook } from '../../api/types.js'
import { webhookTexts } from '../../texts/webhooks.js'
import styles from './webhooks.module.css'

const colors = { active: 'green', alert: 'orange', inactive: 'gray', deactivated: 'red' } as const
const icons = { active: CircleCheck, alert: TriangleAlert, inactive: CirclePause, deactivated: CircleX }

export function WebhookState({ status }: Pick<Webhook, 'status'>) {
  const state = status as keyof typeof colors
  const Icon = icons[state]
  return (
    <Badge variant="light" color={colors[state]} className={styles[state]} leftSection={<Icon size={13} />}>
      {webhookTexts.states[state]}
    </Badge>
  )
}
