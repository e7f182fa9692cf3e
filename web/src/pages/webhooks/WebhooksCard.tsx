import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, Webhook as Hook, Plus } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../api/client.js'
import type { Webhook } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { RowMark, Rows, RowText } from '../../parts/Rows.js'
import { useGroupGuid, useIsAdmin } from '../../shell/current-group.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { lastFailureQuery, webhooksQuery } from './queries.js'
import { WebhookState } from './WebhookState.js'
import styles from './webhooks.module.css'

const WebhookDialog = lazyPart(() => import('./WebhookDialog.js'), 'WebhookDialog')
const SecretDialog = lazyPart(() => import('./SecretDialog.js'), 'SecretDialog')

/** The webhooks of the organization. Each has a page with its log. */
export function WebhooksCard({ guid }: { readonly guid: string }) {
  const client = useQueryClient()
  const webhooks = useQuery(webhooksQuery(guid))
  const [step, setStep] = useState<'new' | Webhook>()
  const isInPlan = !(webhooks.error instanceof ApiError && webhooks.error.status === 402)
  const isAdmin = useIsAdmin()
  const create = isAdmin && (
    <Button leftSection={<Plus size={16} />} onClick={() => setStep('new')}>
      {words.create}
    </Button>
  )
  const isEmpty = webhooks.data?.length === 0
  return (
    <Card
      title={isEmpty || !isInPlan ? undefined : words.title}
      hint={isEmpty || !isInPlan ? undefined : words.hint}
      actions={isInPlan && !isEmpty && webhooks.data && create}
    >
      {isInPlan ? (
        <Rows
          query={webhooks}
          keyOf={(webhook) => webhook.guid}
          areLinks
          empty={
            <Empty drawing="webhooks" title={words.none} action={create}>
              {isAdmin ? words.noneHint : words.noneHintToRead}
            </Empty>
          }
          row={(webhook) => <WebhookRow webhook={webhook} />}
        />
      ) : (
        <Empty drawing="webhooks" title={words.notInPlan}>
          {words.notInPlanHint}
        </Empty>
      )}
      {step === 'new' && (
        <WebhookDialog
          organization={guid}
          onSaved={(made) => {
            setStep(made)
            void client.invalidateQueries({ queryKey: webhooksQuery(guid).queryKey })
          }}
          onClose={() => setStep(undefined)}
        />
      )}
      {step && step !== 'new' && <SecretDialog webhook={step} onClose={() => setStep(undefined)} />}
    </Card>
  )
}

const tones = { active: 'good', alert: 'warn', inactive: undefined, deactivated: 'bad' } as const

function WebhookRow({ webhook: { guid, name, url, events, status } }: { readonly webhook: Webhook }) {
  const group = useGroupGuid()
  const isBroken = status === 'alert' || status === 'deactivated'
  const { data: last } = useQuery({ ...lastFailureQuery(guid), enabled: isBroken })
  return (
    <>
      <RowMark tone={tones[status as keyof typeof tones]}>
        <Hook size={18} />
      </RowMark>
      <RowText
        title={
          <Link to="/$group/settings/webhooks/$webhook" params={{ group, webhook: guid }}>
            {name}
          </Link>
        }
      >
        {[hostOf(url), ...events.map((event) => words.eventNames[event] ?? event)].join(' · ')}
        {isBroken && last && <div className={styles.failure}>{words.lastFailure(last.failure)}</div>}
      </RowText>
      <WebhookState status={status} />
      <ChevronRight size={16} aria-hidden="true" className={styles.leads} />
    </>
  )
}

/** The rest of the URL may contain a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
