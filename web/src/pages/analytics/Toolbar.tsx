/** What time is shown, whether it is compared, and whose visits count. */
import { Button, Popover } from '@mantine/core'
import { CalendarDays, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Check } from '../../parts/Check.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { Views } from '../../parts/Views.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps, FilteredProps } from './Analytics.js'
import { CardTabs } from './CardTabs.js'
import { CompareButton } from './CompareButton.js'
import { FilterMenu } from './FilterMenu.js'
import { periodOf, standardRange } from './period.js'
import { type AnalyticsSearch, ranges, readAnalyticsSearch, traffics } from './search.js'
import { spanLabel } from './span-label.js'
import styles from './Toolbar.module.css'
import { useZones } from './use-zones.js'

/** The ranges of the keys 1, 2, 3, ... */
const keys = ['today', 'yesterday', '7d', '28d', '91d', '12m', 'all'] as const

const Calendar = lazyPart(() => import('./Calendar.js'), 'Calendar', <div className={styles.calendarSpace} />)

export function Toolbar({ subject, search, onChange, without }: FilteredProps) {
  const { analytics } = texts
  const { zone } = useZones(search)
  const { link, campaign, code } = subject
  const isComparing = without !== undefined
  const canBeCompared = !isComparing && campaign === undefined && code === undefined
  return (
    <div className={styles.toolbar}>
      <PeriodMenu search={search} onChange={onChange} />
      <FilterMenu subject={subject} search={search} onChange={onChange} without={without} />
      <CardTabs
        label={analytics.traffic}
        tabs={traffics.map((value) => ({ value, label: analytics.traffics[value] }))}
        chosen={search.traffic ?? 'human'}
        onChoose={(traffic) => onChange({ ...search, traffic: traffic === 'human' ? undefined : traffic })}
      />
      {!isComparing && code === undefined && (
        <Views
          page={link ? 'link' : campaign ? 'campaign' : 'analytics'}
          search={search}
          read={readAnalyticsSearch}
          onOpen={onChange}
        />
      )}
      {canBeCompared && <CompareButton search={{ ...search, ...(link && { ids: [`${link.domain}/${link.hash}`] }) }} />}
      {search.view === undefined && !isComparing && periodOf(search, zone).before && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the check box is in it
        <label className={styles.compare}>
          <Check
            label={analytics.compare}
            checked={search.compare !== 'off'}
            onToggle={() => onChange({ ...search, compare: search.compare === 'off' ? undefined : 'off' }, true)}
          />
          {analytics.compare}
        </label>
      )}
    </div>
  )
}

export function PeriodMenu({ search, onChange }: Pick<AnalyticsProps, 'search' | 'onChange'>) {
  const [isOpen, setIsOpen] = useState(false)
  const { analytics } = texts
  const { zone } = useZones(search)
  const choose = (changed: AnalyticsSearch) => {
    setIsOpen(false)
    onChange({ ...search, from: undefined, to: undefined, interval: undefined, ...changed })
  }
  useShortcuts(
    keys.map((range, index) => ({
      keys: String(index + 1),
      label: analytics.ranges[range],
      run: () => choose({ range: range === standardRange ? undefined : range }),
    })),
  )
  const chosen = search.from === undefined ? (search.range ?? standardRange) : undefined
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<CalendarDays size={16} aria-hidden="true" />}
          rightSection={<ChevronDown size={14} aria-hidden="true" />}
          aria-label={`${analytics.range}: ${spanLabel(search, zone)}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {spanLabel(search, zone)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.menu} aria-label={analytics.range}>
        <ul className={styles.ranges}>
          {ranges.map((range) => (
            <li key={range}>
              <button
                type="button"
                className={styles.range}
                aria-pressed={range === chosen}
                onClick={() => choose({ range: range === standardRange ? undefined : range })}
              >
                {analytics.ranges[range]}
              </button>
            </li>
          ))}
        </ul>
        {isOpen && <Calendar search={search} zone={zone} onChoose={(from, to) => choose({ from, to })} />}
      </Popover.Dropdown>
    </Popover>
  )
}
