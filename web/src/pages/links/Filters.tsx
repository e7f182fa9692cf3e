/** Filters as pills with a menu each; what is set is in the URL. */
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CalendarDays, Globe, ListFilter, Megaphone, Tag, User, X } from 'lucide-react'
import { linkTagsQuery } from '../../api/queries.js'
import { formatShortDay } from '../../parts/format.js'
import { suspendingPart } from '../../parts/lazy-part.js'
import { Pill } from '../../parts/Pill.js'
import { Views } from '../../parts/Views.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { useDomains } from '../create/queries.js'
import styles from './Filters.module.css'
import { campaignsQuery } from './queries.js'
import { isFiltered, type LinkSearch, readLinkSearch } from './search.js'

const fields = () => import('./FilterFields.js')
const TagsFilter = suspendingPart(fields, 'TagsFilter')
const OneFilter = suspendingPart(fields, 'OneFilter')
const CreatorFilter = suspendingPart(fields, 'CreatorFilter')
const ChoiceFilter = suspendingPart(fields, 'ChoiceFilter')

interface FiltersProps {
  readonly search: LinkSearch
  readonly onChange: (search: LinkSearch) => void
}

const choices = ['archived', 'expired', 'custom', 'qr'] as const

export function Filters({ search, onChange }: FiltersProps) {
  const group = useGroupGuid()
  const { data: tags = [] } = useQuery(linkTagsQuery(group))
  const { data: campaigns = [] } = useQuery(campaignsQuery(group))
  const domains = useDomains(group)
  const set = (changed: LinkSearch) => {
    const kept = Object.entries({ ...search, ...changed }).filter(
      ([, value]) => value !== undefined && value.length > 0,
    )
    onChange(Object.fromEntries(kept))
  }
  return (
    <div className={styles.filters}>
      <Views page="links" search={search} read={readLinkSearch} onOpen={onChange} />
      <Pill icon={<Tag size={16} />} label={texts.links.filters.tags} value={search.tags?.join(', ')}>
        <TagsFilter tags={tags} value={search.tags ?? []} onChange={(chosen) => set({ tags: chosen })} />
      </Pill>
      <Pill icon={<CalendarDays size={16} />} label={texts.links.filters.created} value={daysOf(search)}>
        <div className={styles.days}>
          <TextInput
            type="date"
            label={texts.links.filters.from}
            value={search.from ?? ''}
            max={search.to}
            onChange={({ currentTarget }) => set({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={texts.links.filters.to}
            value={search.to ?? ''}
            min={search.from}
            onChange={({ currentTarget }) => set({ to: currentTarget.value })}
          />
        </div>
      </Pill>
      {domains.length > 1 && (
        <Pill icon={<Globe size={16} />} label={texts.create.domain} value={search.domain}>
          <OneFilter
            label={texts.create.domain}
            data={domains}
            value={search.domain}
            onChange={(domain) => set({ domain })}
          />
        </Pill>
      )}
      <Pill icon={<User size={16} />} label={texts.links.filters.creator} value={search.creator?.join(', ')}>
        <CreatorFilter group={group} value={search.creator ?? []} onChange={(creator) => set({ creator })} />
      </Pill>
      {campaigns.length > 0 && (
        <Pill
          icon={<Megaphone size={16} />}
          label={texts.links.filters.campaign}
          value={search.campaign && (campaigns.find(({ guid }) => guid === search.campaign)?.name ?? search.campaign)}
        >
          <OneFilter
            label={texts.links.filters.campaign}
            data={campaigns.map(({ guid, name }) => ({ value: guid, label: name ?? guid }))}
            value={search.campaign}
            onChange={(campaign) => set({ campaign })}
          />
        </Pill>
      )}
      <Pill icon={<ListFilter size={16} />} label={texts.links.filters.more} value={chosenOf(search)}>
        <div className={styles.choices}>
          {choices.map((name) => (
            <ChoiceFilter
              key={name}
              label={texts.links.filters[name]}
              value={search[name]}
              standard={name === 'archived' ? 'off' : 'both'}
              onChange={(value) => set({ [name]: value })}
            />
          ))}
        </div>
      </Pill>
      {isFiltered(search) && (
        <Button variant="subtle" color="gray" leftSection={<X size={16} />} onClick={() => onChange({})}>
          {texts.links.resetFilters}
        </Button>
      )}
    </div>
  )
}

function daysOf({ from, to }: LinkSearch): string | undefined {
  // The start of the day here; a date alone would be the start in UTC.
  const shown = (day: string | undefined) => (day ? formatShortDay(`${day}T00:00`) : '…')
  return from || to ? `${shown(from)} – ${shown(to)}` : undefined
}

/** The choices that are set. */
function chosenOf(search: LinkSearch): string {
  return choices
    .flatMap((name) => {
      const choice = search[name]
      return choice ? [`${texts.links.filters[name]}: ${texts.links.choices[choice]}`] : []
    })
    .join(', ')
}
