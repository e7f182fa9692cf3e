/** The fields inside the pills of the filters, loaded when one is opened. */
import { Input, MultiSelect, SegmentedControl, Select, TagsInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.layer.css'
import '@mantine/core/styles/SegmentedControl.layer.css'
import { useQuery } from '@tanstack/react-query'
import { texts } from '../../texts/texts.js'
import styles from './Filters.module.css'
import { groupMembersQuery } from './queries.js'
import type { Choice } from './search.js'

interface TagsFilterProps {
  readonly tags: readonly string[]
  readonly value: readonly string[]
  readonly onChange: (chosen: string[]) => void
}

export function TagsFilter({ tags, value, onChange }: TagsFilterProps) {
  return (
    <MultiSelect
      label={texts.links.filters.tags}
      description={texts.links.filters.tagsHint}
      data={[...tags]}
      value={[...value]}
      onChange={onChange}
      searchable
      clearable
      comboboxProps={{ withinPortal: false }}
      // The list itself scrolls, by the keys of the field: another element that does would have to take the focus.
      withScrollArea={false}
      classNames={{ options: styles.options ?? '' }}
    />
  )
}

interface OneFilterProps {
  readonly label: string
  readonly data: readonly (string | { readonly value: string; readonly label: string })[]
  readonly value: string | undefined
  readonly onChange: (chosen: string | undefined) => void
}

/** One of a list. */
export function OneFilter({ label, data, value, onChange }: OneFilterProps) {
  return (
    <Select
      label={label}
      data={[...data]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      clearable
      comboboxProps={{ withinPortal: false }}
    />
  )
}

interface CreatorFilterProps {
  readonly group: string
  readonly value: readonly string[]
  readonly onChange: (logins: string[]) => void
}

/** Suggests the members of the group; any other login may be typed, such as that of somebody who left. */
export function CreatorFilter({ group, value, onChange }: CreatorFilterProps) {
  const { data: members = [] } = useQuery(groupMembersQuery(group))
  return (
    <TagsInput
      label={texts.links.filters.creator}
      description={texts.links.filters.creatorHint}
      data={members.map(({ login }) => login)}
      renderOption={({ option }) => {
        const name = members.find(({ login }) => login === option.value)?.name
        return name ? `${name} (${option.value})` : option.value
      }}
      value={[...value]}
      onChange={onChange}
      clearable
      comboboxProps={{ withinPortal: false }}
    />
  )
}

interface ChoiceFilterProps {
  readonly label: string
  readonly value: Choice | undefined
  /** What the API does when the filter is not sent. */
  readonly standard: Choice
  readonly onChange: (value: Choice | undefined) => void
}

export function ChoiceFilter({ label, value, standard, onChange }: ChoiceFilterProps) {
  const data = (['both', 'on', 'off'] as const).map((choice) => ({ value: choice, label: texts.links.choices[choice] }))
  return (
    <Input.Wrapper label={label} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={label}
        data={data}
        value={value ?? standard}
        onChange={(chosen) => onChange(chosen === standard ? undefined : (chosen as Choice))}
      />
    </Input.Wrapper>
  )
}
