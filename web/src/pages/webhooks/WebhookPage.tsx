/** One webhook: its state and settings, and the log of what was sent. */
import { Button, Menu, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { groupsQuery } from '../../api/queries.js'
import type { Webhook } from '../../api/types.js'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge, formatDay } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useIsAdmin } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { DeliveriesCard } from './DeliveriesCard.js'
import { webhookQuery } from './queries.js'
import { StateNote } from './StateNote.js'
import { useWebhookActions } from './use-webhook-actions.js'
import { WebhookState } from './WebhookState.js'
import type { Step } from './WebhookSteps.js'
import styles from './webhooks.module.css'

const WebhookSteps = lazyPart(() => import('./WebhookSteps.js'), 'WebhookSteps')
const route = getRouteApi('/$group/settings/webhooks/$webhook')

export function WebhookPage() {
  const { group, webhook: guid } = route.useParams()
  const { data: webhook, error, refetch } = useQuery(webhookQuery(guid))
  return (
    <>
      <BackLink to="/$group/settings" params={{ group }} search={{ tab: 'webhooks' }}>
        {words.title}
      </BackLink>
      {webhook && <OpenWebhook webhook={webhook} />}
      {!webhook && <PageHead title={words.title} />}
      {!webhook && (error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />)}
    </>
  )
}

function OpenWebhook({ webhook }: { readonly webhook: Webhook }) {
  const { group } = route.useParams()
  const navigate = route.useNavigate()
  const [step, setStep] = useState<Step>()
  const actions = useWebhookActions(webhook)
  const isAdmin = useIsAdmin()
  return (
    <>
      <PageHead title={webhook.name} state={<WebhookState status={webhook.status} />}>
        {isAdmin && (
          <>
            <Button
              variant="default"
              leftSection={<Send size={16} />}
              loading={actions.test.isPending}
              onClick={() => actions.test.mutate()}
            >
              {words.test}
            </Button>
            <Button variant="default" leftSection={<Pencil size={16} />} onClick={() => setStep('edit')}>
              {texts.common.edit}
            </Button>
            <ActionMenu webhook={webhook} onStep={setStep} onActivate={() => actions.setActive.mutate(true)} />
          </>
        )}
      </PageHead>
      <div className={page.wide}>
        <StateNote
          webhook={webhook}
          isBusy={actions.setActive.isPending}
          onActivate={() => actions.setActive.mutate(true)}
        />
        <Details webhook={webhook} />
        <DeliveriesCard webhook={webhook} />
      </div>
      {step && (
        <WebhookSteps
          webhook={webhook}
          step={step}
          onClose={() => setStep(undefined)}
          onDeleted={() => void navigate({ to: '/$group/settings', params: { group }, search: { tab: 'webhooks' } })}
        />
      )}
    </>
  )
}

interface ActionMenuProps {
  readonly webhook: Webhook
  readonly onStep: (step: Step) => void
  readonly onActivate: () => void
}

function ActionMenu({ webhook, onStep, onActivate }: ActionMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className={icon.button} aria-label={words.actions}>
          <Ellipsis size={18} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {webhook.is_active ? (
          <Menu.Item leftSection={<Pause size={16} />} onClick={() => onStep('pause')}>
            {words.pause}
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<Play size={16} />} onClick={onActivate}>
            {words.activate}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<KeyRound size={16} />} onClick={() => onStep('rotate')}>
          {words.rotate}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<Trash2 size={16} />} onClick={() => onStep('delete')}>
          {words.delete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Details({ webhook }: { readonly webhook: Webhook }) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const { guid, url, events, group_guid, created, modified, modified_by } = webhook
  const group = groups.find((each) => each.guid === group_guid)?.name ?? group_guid
  return (
    <Card title={words.details}>
      <dl className={styles.details}>
        <dt>{words.url}</dt>
        <dd>
          <code>{url}</code>
          <CopyButton value={url} />
        </dd>
        <dt>{words.events}</dt>
        <dd>{events.map((event) => words.eventNames[event] ?? event).join(', ')}</dd>
        <dt>{words.group}</dt>
        <dd>{group || words.wholeOrganization}</dd>
        <dt>{words.createdOn}</dt>
        <dd>
          {[formatDay(created), created === modified ? '' : words.changedBy(modified_by, formatAge(modified)), guid]
            .filter(Boolean)
            .join(' · ')}
        </dd>
      </dl>
    </Card>
  )
}
