/** The group at a glance: its numbers, the most clicked links, and the newest ones. */
import { Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, ask } from '../../api/client.js'
import type { ShortLink } from '../../api/types.js'
import { windowOf } from '../../charts/range.js'
import { Card } from '../../parts/Card.js'
import { formatAge, formatNumber } from '../../parts/format.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import { linksQuery } from '../links/queries.js'
import { Numbers } from '../numbers/Numbers.js'
import { type NumbersSearch, standardRange } from '../numbers/search.js'
import styles from './HomePage.module.css'

const route = getRouteApi('/$group/')
const shown = 6

export function HomePage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead title={texts.shell.home} />
      <div className={styles.page}>
        <Numbers
          subject={{ group }}
          search={search}
          onChange={(changed) => void navigate({ search: changed, replace: true })}
        />
        <div className={styles.lists}>
          <TopLinks group={group} search={search} />
          <LatestLinks group={group} />
        </div>
      </div>
    </>
  )
}

function TopLinks({ group, search }: { readonly group: string; readonly search: NumbersSearch }) {
  const top = useQuery({
    queryKey: ['groups', group, 'numbers', 'top', search],
    queryFn: () => {
      const query = {
        ...windowOf(search.range ?? standardRange),
        size: shown,
        ...(search.traffic && { traffic: search.traffic }),
      }
      return ask(
        api.GET('/v4/groups/{group_guid}/links/clicks/top', { params: { path: { group_guid: group }, query } }),
      )
    },
  })
  const clicks = new Map(top.data?.sorted_links.map(({ id, clicks }) => [id, clicks]))
  return (
    <Card title={texts.home.topLinks}>
      {top.isPending && <ListSkeleton />}
      {top.isError && <Problem error={top.error} onRetry={() => void top.refetch()} />}
      {top.data?.links.length === 0 && <p className={styles.none}>{texts.numbers.none}</p>}
      <ol className={styles.list}>
        {top.data?.links.map((link) => (
          <LinkLine key={link.id} group={group} link={link} figure={formatNumber(clicks.get(link.id) ?? 0)} />
        ))}
      </ol>
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
      {links?.length === 0 && <p className={styles.none}>{texts.links.noneYetHint}</p>}
      <ol className={styles.list}>
        {links?.map((link) => (
          <LinkLine key={link.id} group={group} link={link} figure={formatAge(link.created_at)} />
        ))}
      </ol>
    </Card>
  )
}

interface LinkLineProps {
  readonly group: string
  readonly link: ShortLink
  readonly figure: string
}

function LinkLine({ group, link, figure }: LinkLineProps) {
  const [domain = '', hash = ''] = link.id.split('/')
  return (
    <li className={styles.line}>
      <Link to="/$group/links/$domain/$hash" params={{ group, domain, hash }} className={styles.name}>
        {link.title || link.id}
        <span>{(link.custom_shortlinks[0] ?? link.link).replace(/^https?:\/\//, '')}</span>
      </Link>
      <span className="figures">{figure}</span>
    </li>
  )
}

function ListSkeleton() {
  return Array.from({ length: shown }, (_, row) => <Skeleton key={`line-${row}`} height={36} mb={8} />)
}
