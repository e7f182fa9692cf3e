/**
 * One chart, and cards that split its total; whatever is clicked filters the whole page. For a link, a group, a campaign
 * or a QR code. Everything that is shown is in the URL.
 */
import { type ReactNode, useMemo } from 'react'
import styles from './Analytics.module.css'
import { ChartCard } from './ChartCard.js'
import { dimensionsOf } from './dimensions.js'
import { FilterPills } from './FilterPills.js'
import { LiveCard } from './LiveCard.js'
import { useLive } from './live.js'
import { PlacesCard } from './PlacesCard.js'
import { RowsCard } from './RowsCard.js'
import type { Subject } from './reports.js'
import type { AnalyticsSearch } from './search.js'
import { Toolbar } from './Toolbar.js'
import { useZones } from './use-zones.js'

export interface AnalyticsProps {
  readonly subject: Subject
  readonly search: AnalyticsSearch
  /** `replace`: what Back need not undo, such as the tab of a card. */
  readonly onChange: (search: AnalyticsSearch, replace?: boolean) => void
}

/** `children` come below the chart. */
export function Analytics({ children, ...given }: AnalyticsProps & { readonly children?: ReactNode }) {
  const { zone } = useZones(given.search)
  const props = { ...given, subject: { ...given.subject, zone } }
  const targets = useMemo(() => targetsOf(given.subject), [given.subject])
  const live = useLive(props.subject, props.search)
  return (
    <div className={styles.analytics}>
      <div className={styles.head}>
        <Toolbar {...props} />
        <FilterPills {...props} />
      </div>
      <ChartCard {...props} isLive={live?.state === 'on'} />
      {children}
      {live && <LiveCard {...props} live={live} zone={zone} />}
      <PlacesCard {...props} />
      <div className={styles.cards}>
        <RowsCard {...props} card="sources" dimensions={dimensionsOf('sources')} />
        <RowsCard {...props} card="devices" dimensions={dimensionsOf('devices')} />
        <RowsCard {...props} card="targets" dimensions={targets} />
      </div>
    </div>
  )
}

function targetsOf({ link, campaign, code }: Subject) {
  if (campaign !== undefined) return ['channels', 'links', 'destinations'] as const
  if (link !== undefined) return ['addresses', 'destinations'] as const
  return code === undefined ? (['links', 'destinations'] as const) : (['destinations'] as const)
}
