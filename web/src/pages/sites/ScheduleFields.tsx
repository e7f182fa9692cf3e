import { Checkbox, TextInput } from '@mantine/core'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import type { BlockDraft } from './block-draft.js'
import styles from './sites.module.css'

interface ScheduleFieldsProps {
  readonly draft: BlockDraft
  readonly onChange: (part: Partial<BlockDraft>) => void
  readonly error: string | undefined
}

/** When visitors see the block. */
export function ScheduleFields({ draft, onChange, error }: ScheduleFieldsProps) {
  const isSet = draft.schedule_start !== '' || draft.schedule_end !== '' || draft.is_pinned || !draft.is_active
  return (
    <details className={styles.more} open={isSet || undefined}>
      <summary>{words.when}</summary>
      <div className={page.form}>
        <div className={page.pair}>
          <TextInput
            type="datetime-local"
            label={words.fields.schedule_start}
            value={draft.schedule_start}
            onChange={({ currentTarget }) => onChange({ schedule_start: currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            label={words.fields.schedule_end}
            value={draft.schedule_end}
            onChange={({ currentTarget }) => onChange({ schedule_end: currentTarget.value })}
            error={error}
          />
        </div>
        <Checkbox
          label={words.fields.is_active}
          checked={draft.is_active}
          onChange={({ currentTarget }) => onChange({ is_active: currentTarget.checked })}
        />
        <Checkbox
          label={words.fields.is_pinned}
          checked={draft.is_pinned}
          onChange={({ currentTarget }) => onChange({ is_pinned: currentTarget.checked })}
        />
      </div>
    </details>
  )
}
