import { Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, ask } from '../../api/client.js'
import type { Webhook } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { asDate, formatMoment, formatNumber, formatTime } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { deliveryQuery } from './queries.js'
import styles from './webhooks.module.css'

interface Delivery {
  readonly id: string
  readonly created: string
  readonly status: number | null
  readonly failure: string
  readonly duration_ms: number
  readonly event_ids: readonly string[]
  readonly event_types: readonly string[]
  readonly tries: number
  readonly next_try: string
}

interface DeliveryRowProps {
  readonly webhook: Webhook
  readonly delivery: Delivery
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** One request; opened, what was sent and what came back. */
export function DeliveryRow({ webhook, delivery, isOpen, onToggle }: DeliveryRowProps) {
  const { id, created, status, failure, duration_ms, event_ids, event_types, tries, next_try } = delivery
  const types = event_types.length === 0 ? ['ping'] : event_types
  const facts = [
    event_ids.length > 1 && words.eventCount(event_ids.length),
    tries > 1 && words.tries(tries),
    isStillToCome(next_try) && words.nextTry(formatTime(next_try)),
    words.took(formatNumber(duration_ms)),
    formatMoment(created),
  ]
  return (
    <div className={styles.delivery}>
      <button type="button" className={styles.head} aria-expanded={isOpen} aria-controls={`d-${id}`} onClick={onToggle}>
        <span className={styles.status} data-failed={failure !== ''}>
          {status ?? words.noAnswer}
        </span>
        <span className={styles.what}>
          <span className={styles.types}>{types.map((type) => words.eventNames[type] ?? type).join(', ')}</span>
          <span className={`figures ${styles.facts}`}>{facts.filter(Boolean).join(' · ')}</span>
        </span>
        <ChevronRight size={16} aria-hidden="true" className={styles.arrow} />
      </button>
      <div id={`d-${id}`} hidden={!isOpen}>
        {isOpen && <SentAndAnswered webhook={webhook} id={id} />}
      </div>
    </div>
  )
}

function isStillToCome(time: string): boolean {
  return time !== '' && asDate(time).getTime() > Date.now()
}

function SentAndAnswered({ webhook: { guid, is_active }, id }: { readonly webhook: Webhook; readonly id: string }) {
  const client = useQueryClient()
  const isAdmin = useIsAdmin()
  const { data, error, refetch } = useQuery(deliveryQuery(guid, id))
  const redeliver = useMutation({
    mutationFn: () => {
      const params = { path: { webhook_guid: guid, delivery_id: id } }
      return ask(api.POST('/v4/webhooks/{webhook_guid}/deliveries/{delivery_id}/redeliver', { params }))
    },
    onSuccess: ({ redeliveries }) => showDone(words.redelivered(redeliveries)),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', guid] }),
  })
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton height={160} />
  const { events, failure, answer } = data
  // One event is the whole body; several are a list in it.
  const sent = JSON.stringify(events.length === 1 ? events[0] : events, null, 2)
  return (
    <div className={styles.exchange}>
      {failure !== '' && (
        <Part title={words.failure}>
          <p className={styles.failure}>{failure}</p>
        </Part>
      )}
      <Part title={words.request} copied={events.length > 0 ? sent : undefined}>
        {events.length > 0 ? <Text>{sent}</Text> : <p className={styles.none}>{words.pingSent}</p>}
      </Part>
      <Part title={words.answer}>
        {answer ? <Text>{answer}</Text> : <p className={styles.none}>{words.emptyAnswer}</p>}
      </Part>
      {is_active && isAdmin && events.length > 0 && (
        <div>
          <RunButton run={redeliver} variant="default">
            {words.redeliver}
          </RunButton>
        </div>
      )}
    </div>
  )
}

interface PartProps {
  readonly title: string
  readonly copied?: string | undefined
  readonly children: ReactNode
}

function Part({ title, copied, children }: PartProps) {
  return (
    <section aria-label={title} className={styles.part}>
      <div className={styles.partHead}>
        <h3>{title}</h3>
        {copied !== undefined && <CopyButton value={copied} />}
      </div>
      {children}
    </section>
  )
}

/** It scrolls, so it must be reachable by keyboard. */
function Text({ children }: { readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <pre className={styles.text} tabIndex={0}>
      {children}
    </pre>
  )
}
