import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.layer.css'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { Webhook } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import page from '../../parts/page.module.css'
import { withScheme } from '../../parts/with-scheme.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { linkWordsQuery } from './queries.js'
import styles from './webhooks.module.css'

interface WebhookDialogProps {
  readonly organization: string
  /** Undefined: a new one. */
  readonly webhook?: Webhook
  readonly onSaved: (webhook: Webhook) => void
  readonly onClose: () => void
}

const eventTypes = [
  'engagement',
  'link.created',
  'link.updated',
  'link.expired',
  'qr_code.created',
  'domain.status_changed',
  'limit.reached',
] as const
type EventType = (typeof eventTypes)[number]

const fieldNames = ['name', 'url', 'event', 'events', 'batch', 'oauth_url', 'client_id', 'client_secret']

export function WebhookDialog({ organization, webhook, onSaved, onClose }: WebhookDialogProps) {
  const name = useField(webhook?.name ?? '')
  const url = useField(webhook?.url ?? '')
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['engagement'])
  const [group, setGroup] = useState(webhook?.group_guid ?? '')
  const [withTags, setWithTags] = useState(webhook?.fetch_tags ?? false)
  const [batch, setBatch] = useState<number | string>(webhook?.batch ?? 1)
  const [linkWord, setLinkWord] = useState(webhook?.link_word ?? '')
  const [oauth, setOauth] = useState<Oauth | undefined>(webhook?.oauth_url ? oauthOf(webhook) : undefined)
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: linkWords = [] } = useQuery(linkWordsQuery(organization))
  const save = useMutation({
    mutationFn: () => {
      // In the order of the list, whatever was chosen first.
      const [event = 'engagement', ...others] = eventTypes.filter((each) => events.includes(each))
      const body = {
        name: name.value.trim(),
        url: withScheme(url.value),
        event: event as EventType,
        events: others as EventType[],
        group_guid: group,
        fetch_tags: withTags,
        batch: Number(batch) || 1,
        link_word: linkWord,
        ...(oauth ? sentOauth(oauth) : webhook && { oauth_url: '' as const }),
      }
      if (!webhook) return ask(api.POST('/v4/webhooks', { body: { ...body, organization_guid: organization } }))
      return ask(api.PATCH('/v4/webhooks/{webhook_guid}', { params: { path: { webhook_guid: webhook.guid } }, body }))
    },
    onSuccess: onSaved,
  })
  const submit = () => {
    if (events.length > 0) save.mutate()
  }
  const errors = fieldErrors(save.error, fieldNames)
  const own = groups.filter(({ organization_guid }) => organization_guid === organization)
  const isExtended =
    webhook && (webhook.fetch_tags || webhook.batch > 1 || webhook.link_word !== '' || webhook.oauth_url !== '')
  return (
    <Dialog onClose={onClose} title={webhook ? words.edit : words.create} size="lg">
      <Form onSubmit={submit}>
        <TextInput
          label={words.name}
          placeholder={words.namePlaceholder}
          {...name.input}
          error={errors.of('name')}
          required
          data-autofocus
        />
        <TextInput
          label={words.url}
          description={words.urlHint}
          placeholder="https://hooks.example.com/shortlink"
          {...url.input}
          error={errors.of('url')}
          inputMode="url"
          autoComplete="off"
          required
        />
        <Checkbox.Group
          label={words.events}
          value={[...events]}
          onChange={setEvents}
          error={events.length === 0 ? words.eventsMissing : (errors.of('event') ?? errors.of('events'))}
        >
          <div className={styles.events}>
            {eventTypes.map((each) => (
              <Checkbox key={each} value={each} label={words.eventNames[each]} />
            ))}
          </div>
        </Checkbox.Group>
        <Select
          label={words.group}
          data={[
            { value: '', label: words.wholeOrganization },
            ...own.map(({ guid, name: label }) => ({ value: guid, label })),
          ]}
          value={group}
          onChange={(chosen) => setGroup(chosen ?? '')}
          allowDeselect={false}
        />
        <details className={styles.more} open={isExtended}>
          <summary>{words.more}</summary>
          <div className={page.form}>
            <Checkbox
              label={words.fetchTags}
              checked={withTags}
              onChange={({ currentTarget }) => setWithTags(currentTarget.checked)}
            />
            <NumberInput
              label={words.batch}
              description={words.batchHint}
              value={batch}
              onChange={setBatch}
              min={1}
              max={100}
              allowDecimal={false}
              error={errors.of('batch')}
            />
            {(linkWords.length > 1 || linkWord !== '') && (
              <Select
                label={words.linkWord}
                description={words.linkWordHint}
                data={[
                  { value: '', label: words.linkWordOfService },
                  ...new Set([...linkWords, ...(linkWord === '' ? [] : [linkWord])]),
                ]}
                value={linkWord}
                onChange={(chosen) => setLinkWord(chosen ?? '')}
                allowDeselect={false}
              />
            )}
            <Checkbox
              label={words.oauth}
              checked={oauth !== undefined}
              onChange={({ currentTarget }) => setOauth(currentTarget.checked ? oauthOf(webhook) : undefined)}
            />
            {oauth && (
              <OauthFields oauth={oauth} isKept={Boolean(webhook?.oauth_url)} onChange={setOauth} errorOf={errors.of} />
            )}
          </div>
        </details>
        <FormEnd error={errors.other && save.error} isBusy={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

interface Oauth {
  readonly url: string
  readonly clientId: string
  /** Never shown by the API; empty: as it is. */
  readonly clientSecret: string
}

function oauthOf(webhook: Webhook | undefined): Oauth {
  return { url: webhook?.oauth_url ?? '', clientId: webhook?.client_id ?? '', clientSecret: '' }
}

function sentOauth({ url, clientId, clientSecret }: Oauth) {
  return {
    oauth_url: withScheme(url),
    client_id: clientId.trim(),
    ...(clientSecret !== '' && { client_secret: clientSecret }),
  }
}

interface OauthFieldsProps {
  readonly oauth: Oauth
  /** The receiver has a secret already. */
  readonly isKept: boolean
  readonly onChange: (oauth: Oauth) => void
  readonly errorOf: (field: string) => string | undefined
}

function OauthFields({ oauth, isKept, onChange, errorOf }: OauthFieldsProps) {
  return (
    <>
      <TextInput
        label={words.oauthUrl}
        placeholder="https://auth.example.com/token"
        value={oauth.url}
        onChange={({ currentTarget }) => onChange({ ...oauth, url: currentTarget.value })}
        error={errorOf('oauth_url')}
        inputMode="url"
        autoComplete="off"
        required
      />
      <div className={page.pair}>
        <TextInput
          label={words.clientId}
          value={oauth.clientId}
          onChange={({ currentTarget }) => onChange({ ...oauth, clientId: currentTarget.value })}
          error={errorOf('client_id')}
          autoComplete="off"
          required
        />
        <PasswordInput
          label={words.clientSecret}
          description={isKept ? words.clientSecretKept : undefined}
          value={oauth.clientSecret}
          onChange={({ currentTarget }) => onChange({ ...oauth, clientSecret: currentTarget.value })}
          error={errorOf('client_secret')}
          autoComplete="new-password"
          required={!isKept}
        />
      </div>
    </>
  )
}
