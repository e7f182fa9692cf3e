/** Who comes to the page, and what they press. */
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { siteTexts as words } from '../../texts/sites.js'
import { CsvFileButton } from '../analytics/CsvButton.js'
import type { Site } from './model.js'
import { oneSite, performanceCsv, performanceQuery } from './queries.js'
import { Bars, Statistics } from './Statistics.js'
import type { SiteRange } from './search.js'

interface StatisticsTabProps {
  readonly site: Site
  readonly range: SiteRange
  readonly onRange: (range: SiteRange) => void
}

export function StatisticsTab({ site, range, onRange }: StatisticsTabProps) {
  return (
    <Statistics
      counted={oneSite(site)}
      range={range}
      onRange={onRange}
      hasCard={site.blocks?.some(({ type }) => type === 'digital_business_card')}
      empty={<Nobody site={site} />}
    >
      <Buttons site={site} range={range} />
    </Statistics>
  )
}

/** What to do about it. */
function Nobody({ site }: { readonly site: Site }) {
  const isLive = site.last_published !== undefined && site.status === 'active'
  const params = { group: site.group_guid, site: site.site_guid }
  return (
    <Card>
      <Empty
        drawing="clicks"
        title={words.statistics.nobody}
        action={
          isLive && (
            <Button
              renderRoot={(props) => (
                <Link {...props} to="/$group/sites/$site" params={params} search={{ tab: 'share' }} />
              )}
            >
              {words.statistics.share}
            </Button>
          )
        }
      >
        {isLive ? words.statistics.nobodyHint : words.notYet}
      </Empty>
    </Card>
  )
}

function Buttons({ site, range }: Pick<StatisticsTabProps, 'site' | 'range'>) {
  const { data, error } = useQuery({ ...performanceQuery(site, range), placeholderData: keepPreviousData })
  const rows = data?.map(({ shortlink_id, title, long_url, clicks }) => ({
    key: shortlink_id,
    label: title || long_url.replace(/^https?:\/\//, ''),
    value: clicks,
  }))
  const title = words.statistics.buttons
  const read = () => performanceCsv(site, range)
  return (
    <Card title={title} actions={<CsvFileButton title={title} name="site-link-performance" read={read} />}>
      <Bars rows={rows} error={error} total={data?.reduce((sum, { clicks }) => sum + clicks, 0) ?? 0} />
    </Card>
  )
}
