/**
 * One chart, and cards that split its total; whatever is clicked filters the whole page. For a link, a group, a campaign
 * or a QR code. Everything that is shown is in the URL.
 */
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { Card } from '../../parts/Card.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { texts } from '../../texts/texts.js'
import styles from './Analytics.module.css'
import { ChartCard } from './ChartCard.js'
import { dimensionsOf, type FilterName } from './dimensions.js'
import { FilterPills } from './FilterPills.js'
import { HoursCard } from './HoursCard.js'
import { LiveCard } from './LiveCard.js'
import { useLive } from './live.js'
import { PageTabs } from './PageTabs.js'
import { PlacesCard } from './PlacesCard.js'
import { measureIn, totalsQuery } from './queries.js'
import { RowsCard } from './RowsCard.js'
import type { Subject } from './reports.js'
import type { AnalyticsSearch } from './search.js'
import { Toolbar } from './Toolbar.js'
import { useZones } from './use-zones.js'

const NoClicks = lazyPart(() => import('./NoClicks.js'), 'NoClicks')
const Events = lazyPart(() => import('./Events.js'), 'Events', <Skeleton height={480} />)

export interface AnalyticsProps {
  readonly subject: Subject
  readonly search: AnalyticsSearch
  /** `replace`: what Back need not undo, such as the tab of a card. */
  readonly onChange: (search: AnalyticsSearch, replace?: boolean) => void
}

export interface FilteredProps extends AnalyticsProps {
  /** Filters that are not offered, on the page that compares. */
  readonly without?: readonly FilterName[]
}

/** `children` come below the chart. */
export function Analytics({ children, ...given }: AnalyticsProps & { readonly children?: ReactNode }) {
  const { zone } = useZones(given.search)
  const props = { ...given, subject: { ...given.subject, zone } }
  const { search, onChange } = given
  return (
    <div className={styles.analytics} data-measure={measureIn(given.subject, search)}>
      <div className={styles.head}>
        <PageTabs
          label={texts.analytics.view}
          tabs={texts.analytics.views}
          chosen={search.view ?? 'overview'}
          onChoose={(view) => onChange({ ...search, view: view === 'overview' ? undefined : view })}
        />
        <Toolbar {...props} />
        <FilterPills {...props} />
      </div>
      {search.view === 'events' ? (
        <Events {...props} zone={zone} />
      ) : (
        <Overview {...props} zone={zone}>
          {children}
        </Overview>
      )}
    </div>
  )
}

interface OverviewProps extends AnalyticsProps {
  readonly zone: string
  readonly children: ReactNode
}

function Overview({ zone, children, ...props }: OverviewProps) {
  const targets = useMemo(() => targetsOf(props.subject), [props.subject])
  const live = useLive(props.subject, props.search)
  const totals = useQuery(totalsQuery(props.subject, props.search))
  return (
    <>
      <ChartCard {...props} isLive={live?.state === 'on'} />
      {children}
      {live && <LiveCard {...props} live={live} zone={zone} />}
      {totals.data?.now.engagements === 0 ? (
        <Card>
          <NoClicks {...props} />
        </Card>
      ) : (
        <>
          <PlacesCard {...props} />
          <HoursCard {...props} />
          <div className={styles.cards}>
            <RowsCard {...props} card="sources" dimensions={dimensionsOf('sources')} />
            <RowsCard {...props} card="devices" dimensions={dimensionsOf('devices')} />
            <RowsCard {...props} card="targets" dimensions={targets} />
          </div>
        </>
      )}
    </>
  )
}

function targetsOf({ link, campaign, code }: Subject) {
  if (campaign !== undefined) return ['links', 'destinations'] as const
  if (link !== undefined) return ['addresses', 'destinations'] as const
  return code === undefined ? (['links', 'destinations'] as const) : (['destinations'] as const)
}
