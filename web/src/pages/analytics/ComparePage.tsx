/** Up to five links, tags, campaigns, channels or periods in one chart and one table. All that is shown is in the URL. */
import { Button, Select, Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { CompareChart } from '../../charts/CompareChart.js'
import { maxSeries } from '../../charts/max-series.js'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import icon from '../../parts/IconButton.module.css'
import { PageHead } from '../../parts/PageHead.js'
import { Problem, ProblemLine } from '../../parts/Problem.js'
import { compareTexts } from '../../texts/compare.js'
import { texts } from '../../texts/texts.js'
import layout from './Analytics.module.css'
import { CardTabs } from './CardTabs.js'
import styles from './ComparePage.module.css'
import { ownFilters, useComparable } from './comparable.js'
import { type Compared, useCompared, useRetry } from './compared.js'
import { FilterPills } from './FilterPills.js'
import { NumbersTable } from './NumbersTable.js'
import { PageTabs } from './PageTabs.js'
import { periodOf } from './period.js'
import { totalsQuery } from './queries.js'
import { type AnalyticsSearch, type CompareSearch, measures } from './search.js'
import { Toolbar } from './Toolbar.js'
import { useZones } from './use-zones.js'

const route = getRouteApi('/$group/analytics/compare')
/** Of the offered ones, by the button of the empty page. */
const beginWith = 3

export function ComparePage() {
  const { group } = route.useParams()
  const { kind = 'links', ids: given, ...filtered } = route.useSearch()
  const navigate = route.useNavigate()
  const { zone } = useZones(filtered)
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), 300)
  const without = ownFilters[kind]
  const search: AnalyticsSearch = { ...filtered, ...Object.fromEntries(without.map((name) => [name, undefined])) }
  const { measure = 'engagements' } = search
  const ids = [...new Set(given ?? (kind === 'periods' ? ['0', '1'] : []))].slice(0, maxSeries)
  const { options, chosen, notes = [], ...found } = useComparable({ kind, group, ids, search, zone, words })
  const { labels, series, notes: annotations, ...counts } = useCompared(group, chosen, search, zone)
  const totals = useQueries({
    queries: chosen.map(({ subject, filters, back }) =>
      totalsQuery({ ...subject, zone }, { ...search, ...filters }, back),
    ),
  })
  const retry = useRetry()
  const change = (changed: CompareSearch, replace = false) =>
    void navigate({ search: { kind, ids: given, ...changed }, replace })
  const props = { subject: { group, zone }, search, onChange: change, without }
  const { interval, intervals } = periodOf(search, zone)
  const others = options.filter(({ value }) => !ids.includes(value))
  const error = found.error ?? counts.error ?? totals.find((each) => each.error)?.error
  const isPending = ids.length > 0 && (found.isPending || counts.isPending)
  // Shares of a part would be wrong.
  const total = totals.every(({ data }) => data)
    ? totals.reduce((sum, { data }) => sum + (data?.now[measure] ?? 0), 0)
    : 0
  const isKnown = !found.isPending && !found.error
  // What cannot be compared is left out with the next change.
  const kept = isKnown ? chosen.map(({ key }) => key) : ids
  // Without any, there would be the first two periods again.
  const isRemovable = kind !== 'periods' || kept.length > 1
  const table = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const buttonAt = (place: number) => table.current?.querySelectorAll<HTMLElement>('tbody button')[place]
  const isFilled = useRef(false)
  useEffect(() => {
    // The field is not there for a sixth.
    if (!isFilled.current || ids.length < maxSeries || isPending) return
    isFilled.current = false
    const target = field.current ?? buttonAt(chosen.length - 1)
    target?.focus()
  })
  const remove = (place: number) => {
    // The button that was pressed goes, and so does that of the last period.
    const next = kind === 'periods' && kept.length === 2 ? undefined : buttonAt(place + 1)
    const target = next ?? field.current ?? buttonAt(place - 1)
    target?.focus()
    change({ ...search, ids: kept.filter((_, each) => each !== place) })
  }
  return (
    <>
      <BackLink to="/$group/analytics" params={{ group }} search={search}>
        {texts.analytics.title}
      </BackLink>
      <PageHead title={texts.analytics.comparison} />
      <div className={layout.analytics}>
        <div className={layout.head}>
          <PageTabs
            label={compareTexts.kind}
            tabs={compareTexts.kinds}
            chosen={kind}
            onChoose={(next) => {
              if (next !== kind) change({ ...search, kind: next, ids: undefined })
            }}
          />
          <Toolbar {...props} />
          <FilterPills {...props} />
        </div>
        <Card>
          <div className={styles.head}>
            <CardTabs
              label={texts.analytics.measure}
              tabs={measures.map((value) => ({ value, label: texts.analytics.measures[value] }))}
              chosen={measure}
              onChoose={(next) => change({ ...search, measure: next }, true)}
            />
            {kept.length < maxSeries && (
              <Select
                key={kind}
                ref={field}
                className={styles.add}
                aria-label={compareTexts.add[kind]}
                placeholder={compareTexts.add[kind]}
                leftSection={<Plus size={16} />}
                data={others}
                value={null}
                onChange={(id) => {
                  setTyped('')
                  if (id === null) return
                  isFilled.current = kept.length === maxSeries - 1
                  change({ ...search, ids: [...kept, id] })
                }}
                searchable
                openOnFocus={false}
                searchValue={typed}
                onSearchChange={setTyped}
                nothingFoundMessage={texts.analytics.noMatch}
                // The API has searched for links already.
                {...(kind === 'links' && { filter: (all) => all.options })}
              />
            )}
          </div>
          {error && <Problem error={error} onRetry={retry} />}
          {isKnown && notes.map((note) => <ProblemLine key={note}>{note}</ProblemLine>)}
          {isPending && <Skeleton height={272} />}
          {!isPending && !error && chosen.length === 0 && (
            <Empty
              drawing="clicks"
              title={compareTexts.none}
              action={
                others.length > 1 && (
                  <Button
                    variant="default"
                    onClick={() => change({ ...search, ids: others.slice(0, beginWith).map(({ value }) => value) })}
                  >
                    {compareTexts.begin(Math.min(beginWith, others.length))}
                  </Button>
                )
              }
            >
              {options.length > 0 || kind === 'links'
                ? compareTexts.noneHint(compareTexts.add[kind], maxSeries)
                : compareTexts.noneThere}
            </Empty>
          )}
          {!isPending && chosen.length > 0 && (
            <div ref={table}>
              {series.some(({ values }) => values) && (
                <CompareChart
                  name={texts.analytics.measures[measure]}
                  labels={labels}
                  series={series}
                  notes={annotations}
                />
              )}
              <NumbersTable
                caption={texts.analytics.comparison}
                title={compareTexts.titles[kind]}
                measure={measure}
                total={total}
                rows={chosen.map((each, place) => ({
                  key: each.key,
                  name: <Name compared={each} search={search} />,
                  numbers: totals[place]?.data?.now,
                  before: totals[place]?.data?.before ?? null,
                  action: isRemovable && (
                    <button
                      type="button"
                      className={icon.button}
                      aria-label={compareTexts.remove(each.name)}
                      onClick={() => remove(place)}
                    >
                      <X size={16} />
                    </button>
                  ),
                }))}
              />
              <div className={styles.foot}>
                <CardTabs
                  label={texts.analytics.interval}
                  tabs={intervals.map((value) => ({ value, label: texts.analytics.intervals[value] }))}
                  chosen={interval}
                  onChoose={(next) => change({ ...search, interval: next }, true)}
                />
                <p className={styles.hint}>{texts.analytics.visitorHint}</p>
              </div>
            </div>
          )}
        </Card>
      </div>
    </>
  )
}

interface NameProps {
  readonly compared: Compared
  readonly search: AnalyticsSearch
}

/** Leads to the analytics of what is compared, where it has some. */
function Name({ compared: { name, subject, filters }, search }: NameProps) {
  const { group, link, campaign } = subject
  if (link) {
    return (
      <Link to="/$group/links/$domain/$hash" params={{ group, ...link }} search={search}>
        {name}
      </Link>
    )
  }
  if (campaign !== undefined) {
    return (
      <Link to="/$group/campaigns/$campaign" params={{ group, campaign }} search={search}>
        {name}
      </Link>
    )
  }
  if (filters?.tag === undefined) return name
  return (
    <Link to="/$group/analytics" params={{ group }} search={{ ...search, ...filters }}>
      {name}
    </Link>
  )
}
