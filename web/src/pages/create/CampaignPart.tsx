/** Puts the link in a channel of a campaign, and takes it out of those that it is in. */
import { Pill, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { errorText } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import { campaignsQuery } from '../links/queries.js'
import type { Draft } from './draft.js'
import styles from './LinkForm.module.css'
import { channelsQuery } from './queries.js'

interface CampaignPartProps {
  readonly group: string
  readonly draft: Pick<Draft, 'placement' | 'leaves'>
  /** Campaigns that the link is in already. */
  readonly current: readonly string[]
  readonly onChange: (changed: Partial<Draft>) => void
}

export function CampaignPart({ group, draft: { placement, leaves }, current, onChange }: CampaignPartProps) {
  const { campaign: words } = texts.create
  const campaigns = useQuery(campaignsQuery(group))
  const channels = useQuery(channelsQuery(group))
  if (campaigns.isError) return <p className={styles.hint}>{errorText(campaigns.error)}</p>
  if (campaigns.data?.length === 0) return <p className={styles.hint}>{words.none}</p>
  const held = campaigns.data?.filter(({ guid }) => current.includes(guid) && !leaves.includes(guid)) ?? []
  return (
    <div className={styles.panel}>
      {held.length > 0 && (
        <div className={styles.extraButtons}>
          <span className={styles.hint}>{words.current}</span>
          {held.map(({ guid, name }) => (
            <Pill
              key={guid}
              className={styles.held}
              withRemoveButton
              removeButtonProps={{ 'aria-label': words.leave(name), 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => onChange({ leaves: [...leaves, guid] })}
            >
              {name}
            </Pill>
          ))}
        </div>
      )}
      <div className={styles.pair}>
        <Select
          label={words.campaign}
          data={campaigns.data?.map(({ guid, name }) => ({ value: guid, label: name ?? guid })) ?? []}
          value={placement.campaign || null}
          onChange={(campaign) => onChange({ placement: { ...placement, campaign: campaign ?? '' } })}
          placeholder={words.choose}
          searchable
          clearable
        />
        <Select
          label={words.channel}
          description={channels.data?.length === 0 ? words.noChannels : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={channels.data?.map(({ guid, name }) => ({ value: guid, label: name ?? guid })) ?? []}
          value={placement.channel || null}
          onChange={(channel) => onChange({ placement: { ...placement, channel: channel ?? '' } })}
          placeholder={words.choose}
          disabled={!placement.campaign}
          required={placement.campaign !== ''}
          searchable
          clearable
        />
      </div>
    </div>
  )
}
