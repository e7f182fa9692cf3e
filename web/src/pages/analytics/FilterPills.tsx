/** The filters of the page. Each value can be taken away, and `is` turned into `is not`. */
import { X } from 'lucide-react'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import { useChannelNames } from './channel-names.js'
import { choiceOf, dimensionNames } from './dimensions.js'
import { flipFilter, readFilter, toggleValue, valueLabel, withoutFilters } from './filters.js'
import styles from './Pills.module.css'
import { spanLabel } from './span-label.js'
import { useZones } from './use-zones.js'

export function FilterPills({ subject, search, onChange }: AnalyticsProps) {
  const { analytics } = texts
  const channels = useChannelNames(subject)
  const named = dimensionNames.map((each) => [choiceOf(each).filter, analytics.dimensions[each][1]] as const)
  const filters = [...named, ['tag', analytics.tag] as const].flatMap(([name, label]) => {
    const filter = name && readFilter(search[name])
    return filter ? [{ name, label, ...filter }] : []
  })
  const { zone } = useZones(search)
  const hasSpan = search.from !== undefined
  if (filters.length === 0 && !hasSpan) return null
  return (
    <ul className={styles.pills} aria-label={analytics.filters}>
      {hasSpan && (
        <li className={styles.pill}>
          <span className={styles.value}>
            {spanLabel(search, zone)}
            <Remove
              label={analytics.removeFilter(spanLabel(search, zone))}
              onClick={() => onChange({ ...search, from: undefined, to: undefined })}
            />
          </span>
        </li>
      )}
      {filters.map(({ name, label: title, isNot, values }) => (
        <li key={name} className={styles.pill} data-not={isNot}>
          <span className={styles.name}>{title}</span>
          <button
            type="button"
            className={styles.operator}
            title={analytics.flip}
            onClick={() => onChange(flipFilter(search, name))}
          >
            {isNot ? analytics.isNot : analytics.is}
          </button>
          {values.map((value) => {
            const label = (name === 'channel' && channels.get(value)) || valueLabel(name, value)
            return (
              <span key={value} className={styles.value}>
                <span className={styles.text}>{label}</span>
                <Remove
                  label={analytics.removeFilter(label)}
                  onClick={() => onChange(toggleValue(search, name, value))}
                />
              </span>
            )
          })}
        </li>
      ))}
      {filters.length + Number(hasSpan) > 1 && (
        <li>
          <button type="button" className={styles.clear} onClick={() => onChange(withoutFilters(search))}>
            {analytics.clear}
          </button>
        </li>
      )}
    </ul>
  )
}

function Remove({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={label} onClick={onClick}>
      <X size={13} aria-hidden="true" />
    </button>
  )
}
