/** Clicks and scans one by one, newest first, with the filters of the page. A cell filters by what it says. */
import { Skeleton } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MousePointerClick, QrCode } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../parts/Card.js'
import { ColumnMenu } from '../../parts/ColumnMenu.js'
import { ExportButton } from '../../parts/ExportButton.js'
import { asDate, formatNumber } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import { More } from '../../parts/Rows.js'
import { eventsTexts } from '../../texts/events.js'
import { texts } from '../../texts/texts.js'
import { pathOf } from '../link/queries.js'
import type { AnalyticsProps } from './Analytics.js'
import { CardTabs } from './CardTabs.js'
import styles from './Events.module.css'
import { type ColumnName, columnNames, columnOf, type Event, useColumns } from './event-columns.js'
import { readFilter, toggleValue, valueLabel } from './filters.js'
import { NoClicks } from './NoClicks.js'
import { allRows, eventsQuery, exportEvents, measureIn, rowsQuery } from './queries.js'
import { momentLabel } from './span-label.js'

interface EventsProps extends AnalyticsProps {
  /** In which the times are shown. */
  readonly zone: string
}

export function Events({ zone, ...props }: EventsProps) {
  const { subject, search, onChange } = props
  const found = useInfiniteQuery({ ...eventsQuery(subject, search), placeholderData: keepPreviousData })
  const columns = useColumns(search, subject.link !== undefined)
  const titles = useTitles(props, columns.shown.includes('link'))
  const events = found.data?.pages.flatMap(({ engagements }) => engagements) ?? []
  const measure = measureIn(subject, search)
  const count = formatNumber(events.length)
  return (
    <Card>
      <CardTabs
        isHeading
        label={eventsTexts.kinds}
        tabs={[
          { value: 'engagements', label: eventsTexts.all },
          { value: 'clicks', label: texts.analytics.measures.clicks },
          { value: 'scans', label: texts.analytics.measures.scans },
        ]}
        chosen={measure === 'visitors' ? 'engagements' : measure}
        onChoose={(chosen) => onChange({ ...search, measure: chosen }, true)}
        actions={
          <div className={styles.actions}>
            <ColumnMenu columns={columnNames.map((name) => ({ name, ...columnOf(name) }))} {...columns} />
            <ExportButton
              isSmall
              label={texts.analytics.csv(texts.analytics.views.events)}
              start={() => exportEvents(subject, search)}
            />
          </div>
        }
      />
      {found.isPending && <Skeleton height={420} />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && events.length === 0 && <NoClicks {...props} />}
      {events.length > 0 && (
        <>
          <p className={styles.count} aria-live="polite">
            {found.hasNextPage ? eventsTexts.more(count) : eventsTexts.shown(events.length, count)}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <section className={styles.scroll} tabIndex={0} aria-label={eventsTexts.scroll}>
            <table className={styles.table} aria-busy={found.isPlaceholderData}>
              <thead>
                <tr>
                  <th scope="col">{eventsTexts.time}</th>
                  {columns.shown.map((name) => (
                    <th key={name} scope="col">
                      {columnOf(name).title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {events.map((event, index) => (
                  // Clicks of one moment may be the same in everything that is listed.
                  <tr key={`${event.clicked_at} ${index}`}>
                    <td className={styles.time}>
                      <time className="figures" dateTime={event.clicked_at}>
                        {momentLabel(asDate(event.clicked_at), zone)}
                      </time>
                    </td>
                    {columns.shown.map((name) => (
                      <td key={name} data-column={name}>
                        <Cell {...props} name={name} event={event} titles={titles} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {found.hasNextPage ? (
            <More query={found} className={styles.older} action={eventsTexts.older} />
          ) : (
            <p className={styles.end}>{eventsTexts.end}</p>
          )}
        </>
      )}
    </Card>
  )
}

/** Of the links that were clicked most, by their ids: those of a thousand come in one report. */
function useTitles({ subject, search }: AnalyticsProps, isShown: boolean): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    ...rowsQuery(subject, 'links', search, allRows),
    enabled: isShown && subject.link === undefined && subject.code === undefined,
  })
  return new Map(data.flatMap(({ value, name }) => (name ? [[value, name]] : [])))
}

interface CellProps extends AnalyticsProps {
  readonly name: ColumnName
  readonly event: Event
  readonly titles: ReadonlyMap<string, string>
}

function Cell({ name, event, titles, subject, search, onChange }: CellProps): ReactNode {
  const { field, filter, title } = columnOf(name)
  const value = event[field]
  if (name === 'type') {
    const Icon = value === 'scan' ? QrCode : MousePointerClick
    return (
      <span className={styles.type} data-measure={value === 'scan' ? 'scans' : undefined}>
        <Icon size={14} aria-hidden="true" />
        {eventsTexts.types[value as 'click'] ?? value}
      </span>
    )
  }
  if (name === 'traffic') return eventsTexts.classes[value as 'human'] ?? value
  if (name === 'link') {
    return (
      <Link
        className={styles.link}
        to="/$group/links/$domain/$hash"
        params={{ group: subject.group, ...pathOf(value) }}
        title={value}
      >
        {titles.get(value) ?? value}
      </Link>
    )
  }
  if (!filter || value === '') return <span className={styles.unknown}>–</span>
  const label = valueLabel(filter, value)
  return (
    <button
      type="button"
      className={styles.value}
      title={label}
      aria-label={eventsTexts.filterBy(title, label)}
      aria-pressed={readFilter(search[filter])?.values.includes(value) ?? false}
      onClick={() => onChange(toggleValue(search, filter, value))}
    >
      {label}
    </button>
  )
}
