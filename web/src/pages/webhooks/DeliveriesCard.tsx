import { Button } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, ask } from '../../api/client.js'
import type { Webhook } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { formatNumber } from '../../parts/format.js'
import { Rows } from '../../parts/Rows.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { DeliveryRow } from './DeliveryRow.js'
import { deadLettersQuery, deliveriesQuery, shownDeadLetters } from './queries.js'
import styles from './webhooks.module.css'

const route = getRouteApi('/$group/settings/webhooks/$webhook')

/** The log: what was sent, what the receiver said, and what is tried again. */
export function DeliveriesCard({ webhook }: { readonly webhook: Webhook }) {
  const { failed = false, delivery } = route.useSearch()
  const navigate = route.useNavigate()
  const log = useInfiniteQuery(deliveriesQuery(webhook.guid, failed))
  const deliveries = log.data?.pages.flatMap((each) => each.deliveries)
  const show = (onlyFailed: boolean) => void navigate({ search: { failed: onlyFailed || undefined } })
  const choice = (isFailed: boolean, label: string) => (
    <Button
      variant={failed === isFailed ? 'light' : 'subtle'}
      size="compact-md"
      aria-pressed={failed === isFailed}
      onClick={() => show(isFailed)}
    >
      {label}
    </Button>
  )
  return (
    <Card
      title={words.deliveries}
      hint={words.deliveriesHint}
      actions={
        <fieldset className={styles.choices} aria-label={words.show}>
          {choice(false, words.showAll)}
          {choice(true, words.showFailed)}
        </fieldset>
      }
    >
      <DeadLetters webhook={webhook} />
      <Rows
        query={{ ...log, data: deliveries }}
        keyOf={({ id }) => id}
        className={styles.log}
        empty={failed ? words.noFailures : words.noDeliveries}
        row={(each) => (
          <DeliveryRow
            webhook={webhook}
            delivery={each}
            isOpen={each.id === delivery}
            onToggle={() =>
              void navigate({
                search: (search) => ({ ...search, delivery: each.id === delivery ? undefined : each.id }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        )}
      />
    </Card>
  )
}

/** Events that will not be tried again by themselves. */
function DeadLetters({ webhook: { guid, is_active } }: { readonly webhook: Webhook }) {
  const client = useQueryClient()
  const isAdmin = useIsAdmin()
  const { data: letters = [] } = useQuery(deadLettersQuery(guid))
  const redeliver = useMutation({
    mutationFn: () => {
      // All that are kept: older ones are gone after seven days.
      const body = { since: '2000-01-01T00:00:00+0000' }
      return ask(api.POST('/v4/webhooks/{webhook_guid}/redeliver', { params: { path: { webhook_guid: guid } }, body }))
    },
    onSuccess: ({ redeliveries }) => showDone(words.redelivered(redeliveries)),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', guid] }),
  })
  if (letters.length === 0) return null
  const count = letters.length < shownDeadLetters ? formatNumber(letters.length) : `${formatNumber(shownDeadLetters)}+`
  return (
    <div className={styles.note} data-state="alert">
      <div className={styles.noteText}>{words.dead(count)}</div>
      {is_active && isAdmin && (
        <RunButton run={redeliver} variant="default">
          {words.redeliverAll}
        </RunButton>
      )}
    </div>
  )
}
