/** The last clicks: those before the page was opened, and then as they happen. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/Card.js'
import { asDate, countryName, formatNumber } from '../../parts/format.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { linkQuery, pathOf, shownAddress } from '../link/queries.js'
import type { AnalyticsProps } from './Analytics.js'
import { valueLabel } from './filters.js'
import styles from './LiveCard.module.css'
import type { Live, LiveClick } from './live.js'
import { latestQuery, shownClicks } from './queries.js'
import { clockLabel } from './span-label.js'

interface LiveCardProps extends Pick<AnalyticsProps, 'subject' | 'search'> {
  readonly live: Live
  /** In which the times are shown. */
  readonly zone: string
}

export function LiveCard({ live: { state, clicks: told, more }, zone, subject, search }: LiveCardProps) {
  const { lastClicks } = texts.analytics
  const { data: before = [] } = useQuery(latestQuery(subject, search))
  const clicks = together(told, before)
  // For several links: whose click it was.
  const names = useNames(subject.link === undefined ? clicks.map(({ shortlink }) => shortlink) : [])
  return (
    <Card title={lastClicks.title} actions={<span className={styles.state}>{lastClicks.states[state]}</span>}>
      {(state === 'off' || clicks.length === 0) && (
        <p className={styles.none}>{state === 'off' ? lastClicks.off : lastClicks.none}</p>
      )}
      {more > 0 && <p className={styles.more}>{lastClicks.more(formatNumber(more))}</p>}
      <ol className={styles.clicks} aria-label={lastClicks.title}>
        {clicks.map((click) => (
          <ClickRow key={identity(click)} click={click} zone={zone} link={names.get(click.shortlink)} />
        ))}
      </ol>
    </Card>
  )
}

/** Newest first. A click that was told is in the report a moment later, too. */
function together(told: readonly LiveClick[], before: readonly LiveClick[]): readonly LiveClick[] {
  const each = new Map([...before, ...told].map((click) => [identity(click), click]))
  return [...each.values()].sort((one, other) => (one.clicked_at < other.clicked_at ? 1 : -1)).slice(0, shownClicks)
}

function identity({ clicked_at, type, device, referrer }: LiveClick): string {
  return [clicked_at, type, device, referrer].join(' ')
}

/** The title of each link, or its address. */
function useNames(shortlinks: readonly string[]): ReadonlyMap<string, string> {
  const group = useGroupGuid()
  const ids = [...new Set(shortlinks)]
  const answers = useQueries({
    queries: ids.map((id) => {
      const { domain, hash } = pathOf(id)
      return { ...linkQuery(group, domain, hash), staleTime: 5 * 60_000 }
    }),
  })
  return new Map(
    ids.map((id, index) => {
      const link = answers[index]?.data
      return [id, link ? link.title || shownAddress(link) : id]
    }),
  )
}

interface ClickRowProps {
  readonly click: LiveClick
  readonly zone: string
  readonly link: string | undefined
}

function ClickRow({ click, zone, link }: ClickRowProps) {
  const { lastClicks } = texts.analytics
  const place = [click.city, click.country && countryName(click.country)].filter(Boolean).join(', ')
  return (
    <li className={styles.click}>
      <time className="figures" dateTime={click.clicked_at}>
        {clockLabel(asDate(click.clicked_at), zone)}
      </time>
      {link && <span className={styles.link}>{link}</span>}
      <span className={styles.place}>{place || valueLabel('country', '')}</span>
      <span className={styles.from}>{siteOf(click.referrer)}</span>
      <span className={styles.device}>
        {click.device}
        {click.type === 'scan' && ` · ${lastClicks.scan}`}
      </span>
    </li>
  )
}

/** The site that the visitor came from. */
function siteOf(referrer: string): string {
  const site = URL.canParse(referrer) ? new URL(referrer).hostname.replace(/^www\./, '') : referrer
  return valueLabel('referrer', site)
}
