import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '../../api/types.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { lastFailureQuery } from './queries.js'
import styles from './webhooks.module.css'

interface StateNoteProps {
  readonly webhook: Webhook
  readonly isBusy: boolean
  readonly onActivate: () => void
}

/** Why events do not arrive, and what to do. Nothing while they do. */
export function StateNote({ webhook, isBusy, onActivate }: StateNoteProps) {
  const { guid, status, alerted, alert_delivery: told, deactivated } = webhook
  const isAdmin = useIsAdmin()
  const { data: last } = useQuery({
    ...lastFailureQuery(guid),
    enabled: status === 'alert' || status === 'deactivated',
  })
  if (status === 'active') return null
  const notes = {
    alert: [words.alertTitle(alerted && formatMoment(alerted)), words.alertHint(last?.failure ?? '')],
    inactive: [words.pausedTitle, words.pausedHint],
    deactivated: [
      words.deactivatedTitle(deactivated && formatAge(deactivated)),
      last?.status === 410 ? words.goneHint : words.failedHint(last?.failure ?? ''),
    ],
  }
  const [title, text] = notes[status as keyof typeof notes]
  return (
    <div role="status" className={styles.note} data-state={status}>
      <div className={styles.noteText}>
        <strong>{title}</strong>
        <p>
          {text} {told && words.told[told]}
        </p>
      </div>
      {status !== 'alert' && isAdmin && (
        <Button loading={isBusy} onClick={onActivate}>
          {words.activate}
        </Button>
      )}
    </div>
  )
}
