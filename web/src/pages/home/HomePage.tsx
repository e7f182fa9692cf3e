/** The group at a glance: its numbers against the time before, what needs attention, the best and the newest links. */
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { BarList } from '../../charts/BarList.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { formatAge, formatNumber } from '../../parts/format.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { ChartCard } from '../analytics/ChartCard.js'
import { valueLabel } from '../analytics/filters.js'
import { useLive } from '../analytics/live.js'
import { measureIn, rowsQuery, totalsQuery } from '../analytics/queries.js'
import type { AnalyticsSearch } from '../analytics/search.js'
import { PeriodMenu } from '../analytics/Toolbar.js'
import { useZones } from '../analytics/use-zones.js'
import { linksQuery } from '../links/queries.js'
import { Attention } from './Attention.js'
import styles from './HomePage.module.css'

const Start = lazyPart(() => import('./Start.js'), 'Start')

const route = getRouteApi('/$group/')
const shown = 6

export function HomePage() {
  const { group } = route.useParams()
  const mayWrite = useMayWrite()
  const links = useLinkCount(group)
  if (links === 0) {
    return (
      <>
        <PageHead title={texts.shell.home} />
        <div className={styles.page}>
          <Attention group={group} />
          {mayWrite ? <Start group={group} hasLinks={false} /> : <Empty drawing="links" title={texts.links.noneYet} />}
        </div>
      </>
    )
  }
  return <Overview group={group} links={links} mayWrite={mayWrite} />
}

/** Of the first page, or `unknown` when that failed. Undefined until it is known. */
function useLinkCount(group: string): number | 'unknown' | undefined {
  const current = useInfiniteQuery(linksQuery(group, {}))
  const count = current.data?.pages[0]?.links.length
  // Archived links have numbers, too.
  const all = useInfiniteQuery({ ...linksQuery(group, { archived: 'both' }), enabled: count === 0 })
  const hasFailed = [current, all].some(({ isError, failureCount }) => isError || failureCount > 0)
  return count || (all.data?.pages[0]?.links.length ?? (hasFailed ? 'unknown' : undefined))
}

/** Groups with more links have found their way. */
const newcomerLinks = 50

interface OverviewProps {
  readonly group: string
  readonly links: ReturnType<typeof useLinkCount>
  readonly mayWrite: boolean
}

function Overview({ group, links, mayWrite }: OverviewProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const onChange = (changed: AnalyticsSearch, replace = false) => void navigate({ search: changed, replace })
  const { zone } = useZones(search)
  const live = useLive({ group, zone }, search)
  return (
    <>
      <PageHead title={texts.shell.home}>
        <PeriodMenu search={search} onChange={onChange} />
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/$group/analytics" params={{ group }} search={search} {...props} />}
        >
          {texts.home.allAnalytics}
        </Button>
      </PageHead>
      {/* It loads meanwhile, and is not seen by those who have no links. */}
      <div className={styles.page} hidden={links === undefined} data-measure={measureIn({ group }, search)}>
        <Attention group={group} />
        {mayWrite && typeof links === 'number' && links < newcomerLinks && <Start group={group} hasLinks />}
        <ChartCard subject={{ group }} search={search} onChange={onChange} isLive={live?.state === 'on'} />
        <div className={styles.lists}>
          <TopLinks group={group} zone={zone} search={search} />
          <Countries group={group} zone={zone} search={search} />
          <LatestLinks group={group} />
        </div>
      </div>
    </>
  )
}

interface ListProps {
  readonly group: string
  readonly zone: string
  readonly search: AnalyticsSearch
}

function TopLinks({ group, zone, search }: ListProps) {
  const top = useQuery(rowsQuery({ group, zone }, 'links', search, shown))
  return (
    <Card title={texts.home.topLinks}>
      {top.isPending && <ListSkeleton />}
      {top.isError && <Problem error={top.error} onRetry={() => void top.refetch()} />}
      {top.data?.length === 0 && <p className={styles.none}>{texts.analytics.none}</p>}
      <ol className={styles.list}>
        {top.data?.map(({ value, name, address = value, count }) => (
          <LinkLine
            key={value}
            group={group}
            id={value}
            title={name}
            shown={address}
            figure={formatNumber(count)}
            share={count / Math.max(1, top.data[0]?.count ?? 0)}
          />
        ))}
      </ol>
    </Card>
  )
}

function Countries({ group, zone, search }: ListProps) {
  const navigate = route.useNavigate()
  const found = useQuery(rowsQuery({ group, zone }, 'countries', search, shown + 1))
  const { data: totals } = useQuery(totalsQuery({ group, zone }, search))
  const rows = found.data?.slice(0, shown + 1)
  return (
    <Card title={texts.analytics.dimensions.countries[0]}>
      {found.isPending && <ListSkeleton />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {rows?.length === 0 && <p className={styles.none}>{texts.analytics.none}</p>}
      {rows && (
        <BarList
          rows={rows.map(({ value, count }) => ({ key: value, label: valueLabel('country', value), value: count }))}
          total={totals?.now[measureIn({ group }, search)] ?? 0}
          onChoose={({ key }) =>
            void navigate({ to: '/$group/analytics', params: { group }, search: { ...search, country: `is:${key}` } })
          }
        />
      )}
    </Card>
  )
}

function LatestLinks({ group }: { readonly group: string }) {
  const found = useInfiniteQuery(linksQuery(group, {}))
  const links = found.data?.pages[0]?.links.slice(0, shown)
  return (
    <Card title={texts.home.latestLinks}>
      {found.isPending && <ListSkeleton />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {links?.length === 0 && <p className={styles.none}>{texts.links.noneYet}</p>}
      <ol className={styles.list}>
        {links?.map(({ id, title, link, custom_shortlinks: [custom = link], created_at }) => (
          <LinkLine
            key={id}
            group={group}
            id={id}
            title={title}
            shown={custom.replace(/^https?:\/\//, '')}
            figure={formatAge(created_at)}
          />
        ))}
      </ol>
    </Card>
  )
}

interface LinkLineProps {
  readonly group: string
  readonly id: string
  readonly title: string | undefined
  readonly shown: string
  readonly figure: string
  /** Of the highest figure. */
  readonly share?: number
}

function LinkLine({ group, id, title, shown, figure, share }: LinkLineProps) {
  const [domain = '', hash = ''] = id.split('/')
  return (
    <li className={styles.line}>
      {share !== undefined && <i className={styles.bar} style={{ width: `${100 * share}%` }} />}
      <Link to="/$group/links/$domain/$hash" params={{ group, domain, hash }} className={styles.name}>
        <span className={styles.title} dir="auto">
          {title || shown}
        </span>
        {title && <span className={styles.address}>{shown}</span>}
      </Link>
      <span className="figures">{figure}</span>
    </li>
  )
}

function ListSkeleton() {
  return Array.from({ length: shown }, (_, row) => <Skeleton key={`line-${row}`} height={36} mb={10} />)
}
