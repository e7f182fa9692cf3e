import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Tag } from 'lucide-react'
import { linkTagsQuery } from '../../api/queries.js'
import { TagChip } from '../../parts/TagChip.js'
import { texts } from '../../texts/texts.js'
import { Pill } from '../links/Pill.js'
import type { AnalyticsProps } from './Analytics.js'
import { readFilter, withValues } from './filters.js'

/** Chooses tags, whose links alone are counted. Only where there are several links. */
export function TagMenu({ subject, search, onChange }: AnalyticsProps) {
  const isSeveral = subject.link === undefined && subject.code === undefined
  const { data: tags = [] } = useQuery({ ...linkTagsQuery(subject.group), enabled: isSeveral })
  const chosen = [...(readFilter(search.tag)?.values ?? [])]
  if (!isSeveral || tags.length + chosen.length === 0) return null
  return (
    <Pill icon={<Tag size={16} aria-hidden="true" />} label={texts.links.filters.tags}>
      <MultiSelect
        label={texts.links.filters.tags}
        description={texts.analytics.tagHint}
        data={[...new Set([...tags, ...chosen])]}
        value={chosen}
        onChange={(values) => onChange(withValues(search, 'tag', values))}
        renderOption={({ option }) => <TagChip tag={option.value} />}
        limit={50}
        searchable
        clearable
        comboboxProps={{ withinPortal: false }}
      />
    </Pill>
  )
}
