import { Button, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { type Query, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { Campaign } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
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

export function CampaignDialog({ group, campaign, onClose, onDeleted }: CampaignDialogProps) {
  const channels = useQuery(channelsQuery(group))
  const attached = useQuery(channelsQuery(group, campaign?.guid))
  const name = useField(campaign?.name ?? '')
  const description = useField(campaign?.description ?? '')
  const [changed, setChanged] = useState<string[]>()
  const newChannel = useField('')
  const [oldChannel, setOldChannel] = useState<string | null>(null)
  const [doomed, setDoomed] = useState<Doomed>()
  const chosen = changed ?? (campaign ? (attached.data ?? []).map(({ guid }) => guid) : [])
  const isKnown = channels.data !== undefined && attached.data !== undefined
  const failed = [channels, attached].find(({ data, isError }) => isError && !data)
  const client = useQueryClient()
  const addChannel = useMutation({
    mutationFn: () => ask(api.POST('/v4/channels', { body: { group_guid: group, name: newChannel.value.trim() } })),
    onSuccess: async ({ guid }) => {
      newChannel.set('')
      setChanged([...chosen, guid])
      await client.invalidateQueries({ queryKey: ['groups', group, 'channels'] })
    },
    onError: showError,
  })
  const save = useMutation({
    mutationFn: () => {
      // Unchanged channels are not sent: somebody else may have changed them meanwhile.
      const channel_guids = changed && { channel_guids: changed }
      const body = {
        group_guid: group,
        name: name.value.trim(),
        description: description.value.trim(),
        ...channel_guids,
      }
      return campaign
        ? ask(api.PATCH('/v4/campaigns/{campaign_guid}', { params: { path: { campaign_guid: campaign.guid } }, body }))
        : ask(api.POST('/v4/campaigns', { body }))
    },
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: ['groups', group] })
    },
  })
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
      setChanged(changed?.filter((one) => one !== guid))
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
      <Form onSubmit={() => save.mutate()} onChange={() => save.isError && save.reset()}>
        <TextInput label={campaignTexts.name} {...name.input} required data-autofocus />
        <Textarea label={campaignTexts.description} {...description.input} />
        {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
        <MultiSelect
          label={campaignTexts.channels}
          description={campaignTexts.channelsHint}
          data={(channels.data ?? []).map(({ guid, name }) => ({ value: guid, label: name }))}
          // Without their names they would be shown as guids.
          value={isKnown ? chosen : []}
          onChange={setChanged}
          disabled={!isKnown}
          searchable
        />
        <div className={page.pair}>
          <TextInput
            aria-label={campaignTexts.newChannel}
            placeholder={campaignTexts.newChannel}
            {...newChannel.input}
          />
          <Button
            variant="default"
            disabled={newChannel.value.trim() === '' || !isKnown}
            loading={addChannel.isPending}
            onClick={() => addChannel.mutate()}
          >
            {campaignTexts.addChannel}
          </Button>
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
        <FormEnd error={save.error} isBusy={save.isPending} isReady={isKnown} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
