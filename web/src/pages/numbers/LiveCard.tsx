/** The last clicks, as they happen. */
import { Card } from '../../parts/Card.js'
import { countryName, formatNumber, formatTime } from '../../parts/format.js'
import { texts } from '../../texts/texts.js'
import { valueLabel } from './filters.js'
import styles from './LiveCard.module.css'
import type { Live, LiveClick } from './live.js'

interface LiveCardProps {
  readonly live: Live
  /** For several links: whose click it was. */
  readonly withLinks: boolean
}

export function LiveCard({ live: { state, clicks, more }, withLinks }: LiveCardProps) {
  const { lastClicks } = texts.numbers
  return (
    <Card title={lastClicks.title} actions={<span className={styles.state}>{lastClicks.states[state]}</span>}>
      {clicks.length === 0 && <p className={styles.none}>{state === 'off' ? lastClicks.off : lastClicks.none}</p>}
      {more > 0 && <p className={styles.more}>{lastClicks.more(formatNumber(more))}</p>}
      <ol className={styles.clicks} aria-label={lastClicks.title}>
        {clicks.map((click) => (
          <ClickRow key={click.event_id} click={click} withLinks={withLinks} />
        ))}
      </ol>
    </Card>
  )
}

function ClickRow({ click, withLinks }: { readonly click: LiveClick; readonly withLinks: boolean }) {
  const { lastClicks } = texts.numbers
  const place = [click.city, click.country && countryName(click.country)].filter(Boolean).join(', ')
  return (
    <li className={styles.click}>
      <time className="figures" dateTime={click.clicked_at}>
        {formatTime(click.clicked_at)}
      </time>
      {withLinks && <span className={styles.link}>{click.shortlink}</span>}
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
