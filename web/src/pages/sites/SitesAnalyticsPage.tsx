/** The views and clicks of all sites of a group, together. */
import { Skeleton } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { type Site, shownUrl } from './model.js'
import { type Counted, sitesQuery, topQuery } from './queries.js'
import { Bars, Statistics } from './Statistics.js'
import type { SiteRange } from './search.js'

const route = getRouteApi('/$group/analytics/sites')

export function SitesAnalyticsPage() {
  const { group } = route.useParams()
  const { range = '30' } = route.useSearch()
  const navigate = route.useNavigate()
  const sites = useInfiniteQuery(sitesQuery(group))
  // The newest fifty, as in the list.
  const shown = sites.data?.pages[0]?.sites
  const counted = { group, sites: shown?.map(({ site_guid }) => site_guid) ?? [] }
  return (
    <>
      <BackLink to="/$group/analytics" params={{ group }}>
        {texts.analytics.title}
      </BackLink>
      <PageHead title={words.statistics.title} />
      {sites.data?.pages[0]?.pagination.search_after && <p className={page.hint}>{words.statistics.newest}</p>}
      {sites.isError && <Problem error={sites.error} onRetry={() => void sites.refetch()} />}
      {sites.isPending && <Skeleton height={480} />}
      {shown?.length === 0 && (
        <Card>
          <Empty drawing="sites" title={words.none}>
            {words.noneHint}
          </Empty>
        </Card>
      )}
      {shown && shown.length > 0 && (
        <Statistics
          counted={counted}
          range={range}
          onRange={(chosen) => void navigate({ search: { range: chosen }, replace: true })}
          empty={
            <Card>
              <Empty drawing="clicks" title={words.statistics.nobody}>
                {words.statistics.nobodyHint}
              </Empty>
            </Card>
          }
        >
          <Top counted={counted} range={range} sites={shown} />
        </Statistics>
      )}
    </>
  )
}

interface TopProps {
  readonly counted: Counted
  readonly range: SiteRange
  readonly sites: readonly Site[]
}

function Top({ counted, range, sites }: TopProps) {
  const { data, error } = useQuery({ ...topQuery(counted, range), placeholderData: keepPreviousData })
  const nameOf = (guid: string) => sites.find(({ site_guid }) => site_guid === guid)?.content.display_name
  const pages = data?.page_views.map(({ microsite_guid, uri, views }) => ({
    key: microsite_guid,
    label: nameOf(microsite_guid) || shownUrl(uri),
    hint: shownUrl(uri),
    value: views,
  }))
  const buttons = data?.sorted_buttons.map(({ id, clicks }, at) => {
    const { title, microsite_guid = '' } = data.buttons[at] ?? {}
    // While the link of a block is changed in the draft, the old and the new one have its id.
    return { key: `${microsite_guid} ${id} ${at}`, label: title || id, hint: nameOf(microsite_guid), value: clicks }
  })
  const sum = (rows: typeof pages = []) => rows.reduce((total, { value }) => total + value, 0)
  const mostVisited = pages?.toSorted((one, other) => other.value - one.value)
  return (
    <>
      <Card title={words.statistics.pages}>
        <Bars rows={mostVisited} error={error} total={sum(pages)} />
      </Card>
      <Card title={words.statistics.buttons}>
        <Bars rows={buttons} error={error} total={buttons?.reduce((total, { value }) => total + value, 0) ?? 0} />
      </Card>
    </>
  )
}
