import { Button, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { type Query, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, ask, withEtag } from '../../api/client.js'
import { type Edit, ownFields, saveMerged, tagged } from '../../api/save-merged.js'
import type { Campaign } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { Conflicts, useMergedSave } from '../../parts/merged-save.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { RunButton } from '../../parts/RunButton.js'
import { showError } from '../../parts/toasts.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { channelsQuery } from '../create/queries.js'

interface CampaignDialogProps {
  readonly group: string
  /** Undefined: a new one. */
  readonly campaign: Campaign | undefined
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Waits for a confirmation. */
interface Doomed {
  readonly kind: 'campaign' | 'channel'
  readonly guid: string
  readonly name: string
}

/** Each channel is a field of its own: what two people add and take out is merged. */
type Draft = { readonly name: string; readonly description: string } & Readonly<Record<`channel ${string}`, true>>

const fields = ownFields<Draft>()

export function CampaignDialog({ group, campaign, onClose, onDeleted }: CampaignDialogProps) {
  const channels = useQuery(channelsQuery(group))
  const attached = useQuery(channelsQuery(group, campaign?.guid))
  const [edit, keep] = useState<Edit<Draft>>(() => ({ before: draftOf(campaign), draft: draftOf(campaign) }))
  const { before, draft } = edit
  const newChannel = useField('')
  const [oldChannel, setOldChannel] = useState<string | null>(null)
  const [doomed, setDoomed] = useState<Doomed>()
  const saved = (campaign && attached.data) ?? []
  const isTouched = [before, draft].some((each) => channelsOf(each).length > 0)
  const chosen = isTouched ? channelsOf(draft) : saved.map(({ guid }) => guid)
  // What was shown until now is what it is compared with.
  const choose = (guids: readonly string[]) => {
    const next = guids.map((guid) => ({ guid }))
    keep({ before: isTouched ? before : withChannels(before, saved), draft: withChannels(draft, next) })
  }
  const isKnown = channels.data !== undefined && attached.data !== undefined
  const failed = [channels, attached].find(({ data, isError }) => isError && !data)
  const client = useQueryClient()
  const addChannel = useMutation({
    mutationFn: () => ask(api.POST('/v4/channels', { body: { group_guid: group, name: newChannel.value.trim() } })),
    onSuccess: async ({ guid }) => {
      newChannel.set('')
      choose([...chosen, guid])
      await client.invalidateQueries({ queryKey: ['groups', group, 'channels'] })
    },
    onError: showError,
  })
  const save = useMutation({
    mutationFn: (sent: Edit<Draft>): Promise<unknown> => {
      if (!campaign) return ask(api.POST('/v4/campaigns', { body: { group_guid: group, ...newOf(sent.draft) } }))
      const params = { path: { campaign_guid: campaign.guid } }
      return saveMerged(sent, {
        ...fields,
        read: async () => {
          const [found, etag] = await tagged(api.GET('/v4/campaigns/{campaign_guid}', { params, headers: withEtag }))
          const now = await client.fetchQuery({ ...channelsQuery(group, campaign.guid), staleTime: 0 })
          return [withChannels(draftOf(found), now), etag]
        },
        send: (changes, headers, all) => {
          const texts = Object.fromEntries(Object.entries(changes).filter(([name]) => !isChannel(name)))
          const hasChannels = Object.keys(changes).some(isChannel)
          const body = { ...texts, ...(hasChannels && { channel_guids: channelsOf(all) }) }
          return ask(api.PATCH('/v4/campaigns/{campaign_guid}', { params, body, headers }))
        },
      })
    },
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: ['groups', group] })
    },
  })
  const merged = useMergedSave({ fields, edit: { before, draft: tidied(draft) }, keep, mutation: save })
  const remove = useMutation({
    mutationFn: ({ kind, guid }: Doomed) =>
      kind === 'campaign'
        ? ask(api.DELETE('/v4/campaigns/{campaign_guid}', { params: { path: { campaign_guid: guid } } }))
        : ask(api.DELETE('/v4/channels/{channel_guid}', { params: { path: { channel_guid: guid } } })),
    onSuccess: async (_, { kind, guid }) => {
      if (kind === 'campaign') {
        onClose()
        onDeleted?.()
      }
      if (isTouched) choose(chosen.filter((one) => one !== guid))
      setOldChannel(null)
      setDoomed(undefined)
      // What is about the deleted one itself would not be found.
      const predicate = ({ queryKey }: Query) => !queryKey.includes(guid)
      await client.invalidateQueries({ queryKey: ['groups', group], predicate })
    },
    onError: showError,
  })
  if (doomed) {
    return (
      <ConfirmDialog
        title={campaignTexts.deleteTitle(doomed.name)}
        action={texts.common.delete}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(doomed)}
        onClose={() => setDoomed(undefined)}
      >
        {campaignTexts.deleteHint}
      </ConfirmDialog>
    )
  }
  const old = channels.data?.find(({ guid }) => guid === oldChannel)
  return (
    <Dialog onClose={onClose} title={campaign?.name ?? campaignTexts.create}>
      <Form onSubmit={merged.save} onChange={() => save.isError && save.reset()}>
        <TextInput
          label={campaignTexts.name}
          value={draft.name}
          onChange={({ currentTarget }) => keep({ before, draft: { ...draft, name: currentTarget.value } })}
          required
          data-autofocus
        />
        <Textarea
          label={campaignTexts.description}
          value={draft.description}
          onChange={({ currentTarget }) => keep({ before, draft: { ...draft, description: currentTarget.value } })}
        />
        {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
        <MultiSelect
          label={campaignTexts.channels}
          description={campaignTexts.channelsHint}
          data={(channels.data ?? []).map(({ guid, name }) => ({ value: guid, label: name }))}
          // Without their names they would be shown as guids.
          value={isKnown ? chosen : []}
          onChange={choose}
          disabled={!isKnown}
          searchable
        />
        <div className={page.pair}>
          <TextInput
            aria-label={campaignTexts.newChannel}
            placeholder={campaignTexts.newChannel}
            {...newChannel.input}
          />
          <RunButton run={addChannel} variant="default" disabled={newChannel.value.trim() === '' || !isKnown}>
            {campaignTexts.addChannel}
          </RunButton>
        </div>
        <div className={page.pair}>
          <Select
            aria-label={campaignTexts.oldChannel}
            placeholder={campaignTexts.oldChannel}
            data={(channels.data ?? []).map(({ guid, name }) => ({ value: guid, label: name }))}
            value={oldChannel}
            onChange={setOldChannel}
          />
          <Button
            variant="default"
            disabled={!old}
            onClick={() => old && setDoomed({ kind: 'channel', guid: old.guid, name: old.name })}
          >
            {campaignTexts.deleteChannel}
          </Button>
        </div>
        {campaign && (
          <Button
            variant="subtle"
            color="red"
            leftSection={<Trash2 size={16} />}
            onClick={() => setDoomed({ kind: 'campaign', guid: campaign.guid, name: campaign.name })}
          >
            {campaignTexts.deleteCampaign}
          </Button>
        )}
        {merged.conflicts && (
          <Conflicts
            {...merged.conflicts}
            labelOf={(name) => (name === 'name' ? campaignTexts.name : campaignTexts.description)}
            textOf={(name, state) => state[name]}
          />
        )}
        <FormEnd error={merged.error} isBusy={save.isPending} isReady={isKnown} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

function draftOf(campaign: Campaign | undefined): Draft {
  return { name: campaign?.name ?? '', description: campaign?.description ?? '' }
}

function tidied(draft: Draft): Draft {
  return { ...draft, name: draft.name.trim(), description: draft.description.trim() }
}

function newOf(draft: Draft) {
  const { name, description } = draft
  return { name, description, channel_guids: channelsOf(draft) }
}

const prefix = 'channel '

function isChannel(name: string): name is `channel ${string}` {
  return name.startsWith(prefix)
}

function channelsOf(draft: Draft): string[] {
  return Object.keys(draft).flatMap((name) => (isChannel(name) && draft[name] ? [name.slice(prefix.length)] : []))
}

function withChannels({ name, description }: Draft, channels: readonly { readonly guid: string }[]): Draft {
  return { name, description, ...Object.fromEntries(channels.map(({ guid }) => [prefix + guid, true as const])) }
}
