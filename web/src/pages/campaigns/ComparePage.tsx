/** Up to five campaigns in one chart and one table. Which ones is in the URL. */
import { Select, Skeleton } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { CompareChart, maxSeries } from '../../charts/CompareChart.js'
import { Card } from '../../parts/Card.js'
import icon from '../../parts/IconButton.module.css'
import { PageHead } from '../../parts/PageHead.js'
import { Message, Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { CardTabs } from '../analytics/CardTabs.js'
import { useCompared } from '../analytics/compared.js'
import { totalsQuery } from '../analytics/queries.js'
import { measures } from '../analytics/search.js'
import { PeriodMenu } from '../analytics/Toolbar.js'
import { useZones } from '../analytics/use-zones.js'
import { campaignsQuery } from '../links/queries.js'
import styles from './ComparePage.module.css'
import { NumbersTable } from './NumbersTable.js'

const route = getRouteApi('/$group/campaigns/compare')

export function ComparePage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { zone } = useZones(search)
  const all = useQuery(campaignsQuery(group))
  const { campaigns: wanted = [], ...shown } = search
  // A campaign that was deleted meanwhile is left out.
  const campaigns = wanted.flatMap((guid) => all.data?.find((each) => each.guid === guid) ?? []).slice(0, maxSeries)
  const compared = campaigns.map(({ guid, name }) => ({ key: guid, name, subject: { group, campaign: guid } }))
  const { labels, series, isPending, error } = useCompared(compared, shown, zone)
  const totals = useQueries({
    queries: compared.map(({ subject }) => totalsQuery({ ...subject, zone }, { ...shown, compare: 'off' })),
  })
  const total = totals.reduce((sum, { data }) => sum + (data?.now.engagements ?? 0), 0)
  const choose = (guids: readonly string[]) => void navigate({ search: { ...search, campaigns: guids } })
  const guids = campaigns.map(({ guid }) => guid)
  const others = all.data?.filter(({ guid }) => !guids.includes(guid)) ?? []
  const period = { range: search.range, from: search.from, to: search.to, zone: search.zone }
  return (
    <>
      <PageHead title={campaignTexts.compareTitle}>
        <PeriodMenu
          search={shown}
          onChange={(changed) => void navigate({ search: { ...changed, campaigns: guids } })}
        />
      </PageHead>
      <div className={page.wide}>
        {all.isError && <Problem error={all.error} onRetry={() => void all.refetch()} />}
        <Card>
          <div className={styles.head}>
            <CardTabs
              label={texts.analytics.measure}
              tabs={measures.map((value) => ({ value, label: texts.analytics.measures[value] }))}
              chosen={search.measure ?? 'engagements'}
              onChoose={(measure) => void navigate({ search: { ...search, measure }, replace: true })}
            />
            {campaigns.length < maxSeries && others.length > 0 && (
              <Select
                className={styles.add}
                aria-label={campaignTexts.addCampaign}
                placeholder={campaignTexts.addCampaign}
                leftSection={<Plus size={16} />}
                data={others.map(({ guid, name }) => ({ value: guid, label: name }))}
                value={null}
                onChange={(guid) => guid && choose([...guids, guid])}
                searchable
              />
            )}
          </div>
          {error !== undefined && <Problem error={error} />}
          {campaigns.length === 0 && all.data && (
            <Message title={campaignTexts.compareNone}>{campaignTexts.compareNoneHint}</Message>
          )}
          {campaigns.length > 0 && (
            <>
              {isPending ? (
                <Skeleton height={272} />
              ) : (
                <CompareChart name={campaignTexts.compareTitle} labels={labels} series={series} />
              )}
              <NumbersTable
                caption={campaignTexts.compareTitle}
                title={campaignTexts.campaign}
                total={total}
                rows={campaigns.map(({ guid, name }, place) => ({
                  key: guid,
                  name: (
                    <Link to="/$group/campaigns/$campaign" params={{ group, campaign: guid }} search={period}>
                      {name}
                    </Link>
                  ),
                  numbers: totals[place]?.data?.now,
                  action: (
                    <button
                      type="button"
                      className={icon.button}
                      aria-label={campaignTexts.leave(name)}
                      onClick={() => choose(guids.filter((each) => each !== guid))}
                    >
                      <X size={16} />
                    </button>
                  ),
                }))}
              />
              <p className={styles.hint}>{texts.analytics.visitorHint}</p>
            </>
          )}
        </Card>
      </div>
    </>
  )
}
