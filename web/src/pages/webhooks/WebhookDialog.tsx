import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.layer.css'
import '@mantine/core/styles/PasswordInput.layer.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, withEtag } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import { type Edit, saveMerged, tagged } from '../../api/save-merged.js'
import type { Webhook } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { useFieldErrors, wrongUrl } from '../../parts/field-errors.js'
import { Conflicts, useMergedSave } from '../../parts/merged-save.js'
import page from '../../parts/page.module.css'
import { withScheme } from '../../parts/with-scheme.js'
import { webhookTexts as words } from '../../texts/webhooks.js'
import { linkWordsQuery } from './queries.js'
import {
  bodyOf,
  type Draft,
  draftOf,
  eventTypes,
  fields,
  inOrder,
  labelOf,
  type Oauth,
  oauthOf,
  textOf,
  tidied,
} from './webhook-draft.js'
import styles from './webhooks.module.css'

interface WebhookDialogProps {
  readonly organization: string
  /** Undefined: a new one. */
  readonly webhook?: Webhook
  readonly onSaved: (webhook: Webhook) => void
  readonly onClose: () => void
}

const fieldNames = ['name', 'url', 'event', 'events', 'batch', 'oauth_url', 'client_id', 'client_secret']

export function WebhookDialog({ organization, webhook, onSaved, onClose }: WebhookDialogProps) {
  const [edit, keep] = useState<Edit<Draft>>(() => ({ before: draftOf(webhook), draft: draftOf(webhook) }))
  const { draft } = edit
  const change = (part: Partial<Draft>) => keep({ ...edit, draft: { ...draft, ...part } })
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: linkWords = [] } = useQuery(linkWordsQuery(organization))
  const mutation = useMutation({
    mutationFn: async (sent: Edit<Draft>) => {
      if (!webhook) {
        const { name, url, events } = sent.draft
        const event = events[0] ?? 'engagement'
        const body = { ...bodyOf(sent.draft), name, url, event, organization_guid: organization }
        return ask(api.POST('/v4/webhooks', { body }))
      }
      const params = { path: { webhook_guid: webhook.guid } }
      await saveMerged(sent, {
        ...fields,
        read: async () => {
          const [found, etag] = await tagged(api.GET('/v4/webhooks/{webhook_guid}', { params, headers: withEtag }))
          return [draftOf(found), etag]
        },
        send: (changes, headers) =>
          ask(api.PATCH('/v4/webhooks/{webhook_guid}', { params, body: bodyOf(changes), headers })),
      })
      return webhook
    },
    onSuccess: onSaved,
  })
  const merged = useMergedSave({ fields, edit: { ...edit, draft: tidied(draft) }, keep, mutation })
  const submit = () => {
    if (draft.events.length > 0) void merged.save()
  }
  const errors = useFieldErrors(merged.error, fieldNames, {
    url: wrongUrl(withScheme(draft.url)),
    oauth_url: draft.oauth !== undefined && wrongUrl(withScheme(draft.oauth.url)),
  })
  const own = groups.filter(({ organization_guid }) => organization_guid === organization)
  const isExtended =
    webhook && (webhook.fetch_tags || webhook.batch > 1 || webhook.link_word !== '' || webhook.oauth_url !== '')
  return (
    <Dialog onClose={onClose} title={webhook ? words.edit : words.create} size="lg">
      <Form onSubmit={submit}>
        <TextInput
          label={words.name}
          placeholder={words.namePlaceholder}
          value={draft.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          error={errors.of('name')}
          required
          data-autofocus
        />
        <TextInput
          label={words.url}
          description={words.urlHint}
          placeholder="https://hooks.example.com/shortlink"
          value={draft.url}
          onChange={({ currentTarget }) => change({ url: currentTarget.value })}
          error={errors.of('url')}
          inputMode="url"
          autoComplete="off"
          required
        />
        <Checkbox.Group
          label={words.events}
          value={[...draft.events]}
          onChange={(chosen) => change({ events: inOrder(chosen) })}
          error={draft.events.length === 0 ? words.eventsMissing : (errors.of('event') ?? errors.of('events'))}
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
          value={draft.group_guid}
          onChange={(chosen) => change({ group_guid: chosen ?? '' })}
          allowDeselect={false}
        />
        <details className={styles.more} open={isExtended}>
          <summary>{words.more}</summary>
          <div className={page.form}>
            <Checkbox
              label={words.fetchTags}
              checked={draft.fetch_tags}
              onChange={({ currentTarget }) => change({ fetch_tags: currentTarget.checked })}
            />
            <NumberInput
              label={words.batch}
              description={words.batchHint}
              value={draft.batch}
              onChange={(batch) => change({ batch })}
              min={1}
              max={100}
              allowDecimal={false}
              error={errors.of('batch')}
            />
            {(linkWords.length > 1 || draft.link_word !== '') && (
              <Select
                label={words.linkWord}
                description={words.linkWordHint}
                data={[
                  { value: '', label: words.linkWordOfService },
                  ...new Set([...linkWords, ...(draft.link_word === '' ? [] : [draft.link_word])]),
                ]}
                value={draft.link_word}
                onChange={(chosen) => change({ link_word: chosen ?? '' })}
                allowDeselect={false}
              />
            )}
            <Checkbox
              label={words.oauth}
              checked={draft.oauth !== undefined}
              onChange={({ currentTarget }) => change({ oauth: currentTarget.checked ? oauthOf(webhook) : undefined })}
            />
            {draft.oauth && (
              <OauthFields
                oauth={draft.oauth}
                isKept={Boolean(webhook?.oauth_url)}
                onChange={(oauth) => change({ oauth })}
                errorOf={errors.of}
              />
            )}
          </div>
        </details>
        {merged.conflicts && (
          <Conflicts {...merged.conflicts} labelOf={labelOf} textOf={(name, state) => textOf(name, state, own)} />
        )}
        <FormEnd error={errors.other && merged.error} isBusy={mutation.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
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
