/** Campaigns of the group with their numbers. Some of them can be chosen to be compared. */
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowDown, Pencil, Split, X } from 'lucide-react'
import { useState } from 'react'
import type { Campaign } from '../../api/types.js'
import { maxSeries } from '../../charts/max-series.js'
import { Sparkline } from '../../charts/Sparkline.js'
import { Card } from '../../parts/Card.js'
import { Check } from '../../parts/Check.js'
import { Empty } from '../../parts/Empty.js'
import { formatAge, formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { errorText, Problem, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { SearchField } from '../../parts/SearchField.js'
import { LetterMark } from '../../parts/SiteMark.js'
import table from '../../parts/table.module.css'
import { useMayWrite } from '../../shell/current-group.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { CompareButton } from '../analytics/CompareButton.js'
import { isUnfinished, periodOf } from '../analytics/period.js'
import { PeriodMenu } from '../analytics/Toolbar.js'
import { useZones } from '../analytics/use-zones.js'
import { campaignsQuery } from '../links/queries.js'
import bar from '../links/SelectionBar.module.css'
import styles from './CampaignsPage.module.css'
import { type CampaignNumbers, perRead, useNumbers } from './queries.js'
import type { CampaignsSearch, Sort } from './search.js'

const CampaignDialog = lazyPart(() => import('./CampaignDialog.js'), 'CampaignDialog')
const route = getRouteApi('/$group/campaigns')

/** Fewer are found by looking. */
const searchedFrom = 8

export function CampaignsPage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [edited, setEdited] = useState<Campaign | 'new'>()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [size, setSize] = useState(perRead)
  const campaigns = useQuery(campaignsQuery(group))
  const { zone } = useZones(search)
  const all = campaigns.data ?? []
  const found = inOrder(matching(all, search.q), search.sort)
  const listed = found.slice(0, size)
  const areAllShown = listed.length === found.length
  // A short list is counted once, whatever is searched in it.
  const counted = all.length <= perRead ? all : listed
  const numbers = useNumbers(
    group,
    counted.map(({ guid }) => guid),
    search,
    zone,
  )
  const change = (changed: CampaignsSearch) => void navigate({ search: { ...search, ...changed }, replace: true })
  const shown = areAllShown ? byNumbers(listed, search.sort, numbers.byGuid) : listed
  const isEmpty = campaigns.data?.length === 0
  const create = mayWrite && (
    <span className={styles.create}>
      <Button variant="default" onClick={() => setEdited('new')}>
        {campaignTexts.create}
      </Button>
      <Button
        leftSection={<Split size={16} />}
        renderRoot={(props) => <Link to="/$group/campaigns/new" params={{ group }} search={{}} {...props} />}
      >
        {campaignTexts.wizard.start}
      </Button>
    </span>
  )
  return (
    <>
      <PageHead title={texts.shell.campaigns}>
        {all.length > 0 && <PeriodMenu search={search} onChange={(changed) => void navigate({ search: changed })} />}
        {all.length > 0 && create}
      </PageHead>
      <div className={page.wide}>
        {(all.length >= searchedFrom || search.q !== undefined) && (
          <SearchField
            className={styles.search}
            label={campaignTexts.search}
            value={search.q}
            onSearch={(q) => change({ q })}
          />
        )}
        {numbers.error !== undefined && numbers.error !== null && (
          <ProblemLine>
            {campaignTexts.noNumbers} {errorText(numbers.error)}
          </ProblemLine>
        )}
        <Card>
          {campaigns.isPending && <CardSkeleton />}
          {campaigns.isError && <Problem error={campaigns.error} onRetry={() => void campaigns.refetch()} />}
          {isEmpty && (
            <div className={styles.empty}>
              <Empty drawing="campaigns" title={campaignTexts.none} action={create}>
                {campaignTexts.noneHint}
              </Empty>
            </div>
          )}
          {all.length > 0 && shown.length === 0 && (
            <Empty drawing="search" title={campaignTexts.noneMatch}>
              {campaignTexts.noneMatchHint}
            </Empty>
          )}
          {shown.length > 0 && (
            <table className={table.table}>
              <caption className="visually-hidden">{campaignTexts.list}</caption>
              <thead>
                <tr>
                  <td className={styles.check} />
                  <SortHead sort="name" search={search} onChange={change} />
                  <th scope="col" className={styles.trend}>
                    {campaignTexts.trend}
                  </th>
                  <SortHead sort="clicks" search={search} onChange={change} isDisabled={!areAllShown} />
                  <SortHead sort="scans" search={search} onChange={change} isDisabled={!areAllShown} />
                  <td className={styles.edit} />
                </tr>
              </thead>
              <tbody>
                {shown.map((campaign) => (
                  <CampaignRow
                    key={campaign.guid}
                    group={group}
                    campaign={campaign}
                    search={search}
                    numbers={numbers.byGuid.get(campaign.guid)}
                    isLastOpen={isUnfinished(periodOf(search, zone).end)}
                    isChosen={chosen.includes(campaign.guid)}
                    onChoose={() => setChosen(toggled(chosen, campaign.guid))}
                    onEdit={mayWrite ? () => setEdited(campaign) : undefined}
                  />
                ))}
              </tbody>
            </table>
          )}
          {!areAllShown && (
            <div className={styles.rest}>
              <span>{campaignTexts.shownOf(formatNumber(shown.length), formatNumber(found.length))}</span>
              <Button variant="default" onClick={() => setSize(size + perRead)}>
                {texts.common.more}
              </Button>
            </div>
          )}
        </Card>
      </div>
      {chosen.length > 0 && (
        <section className={bar.bar} aria-label={campaignTexts.selected(chosen.length)}>
          <span className={bar.count} role="status">
            {chosen.length === 1 ? campaignTexts.selectMore : campaignTexts.selected(chosen.length)}
            {chosen.length > maxSeries && `. ${campaignTexts.selectMax(maxSeries)}`}
          </span>
          {chosen.length > 1 && chosen.length <= maxSeries && (
            <CompareButton search={{ ...periodIn(search), kind: 'campaigns', ids: chosen }} />
          )}
          <button
            type="button"
            className={`${icon.button} ${bar.clear}`}
            aria-label={campaignTexts.clear}
            onClick={() => setChosen([])}
          >
            <X size={16} />
          </button>
        </section>
      )}
      {edited && (
        <CampaignDialog
          group={group}
          campaign={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function CardSkeleton() {
  return (
    <div role="status" aria-label={texts.common.loading}>
      {['first', 'second', 'third'].map((key) => (
        <Skeleton key={key} height={44} mb={8} />
      ))}
    </div>
  )
}

interface CampaignRowProps {
  readonly group: string
  readonly campaign: Campaign
  readonly search: CampaignsSearch
  /** Undefined while they load. */
  readonly numbers: CampaignNumbers | undefined
  /** The last of them is not over yet. */
  readonly isLastOpen: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onEdit: (() => void) | undefined
}

function CampaignRow({ group, campaign, search, numbers, isLastOpen, isChosen, onChoose, onEdit }: CampaignRowProps) {
  const { guid, name, description, created } = campaign
  return (
    <tr data-chosen={isChosen || undefined}>
      <td className={styles.check}>
        <Check label={campaignTexts.select(name)} checked={isChosen} onToggle={onChoose} />
      </td>
      <th scope="row">
        <div className={styles.campaign}>
          <LetterMark name={name} />
          <div>
            <Link
              to="/$group/campaigns/$campaign"
              params={{ group, campaign: guid }}
              search={periodIn(search)}
              className={styles.name}
            >
              {name}
            </Link>
            {description && <span className={styles.description}>{description}</span>}
            <span className={styles.more}>
              {numbers && campaignTexts.counted(numbers.channels, numbers.links)}
              <span className={styles.age}>
                {numbers && ' · '}
                {formatAge(created)}
              </span>
            </span>
          </div>
        </div>
      </th>
      <td className={styles.trend}>
        {numbers && numbers.engagements > 0 && numbers.counts.length > 0 && (
          <Sparkline values={numbers.counts.toReversed()} isLastOpen={isLastOpen && numbers.counts.length > 1} />
        )}
      </td>
      <td className={`figures ${styles.clicks}`}>{numbers ? formatNumber(numbers.clicks) : '–'}</td>
      <td className="figures">{numbers ? formatNumber(numbers.scans) : '–'}</td>
      <td className={styles.edit}>
        {onEdit && (
          <button
            type="button"
            className={icon.button}
            aria-label={campaignTexts.edit(name)}
            title={campaignTexts.edit(name)}
            onClick={onEdit}
          >
            <Pencil size={16} />
          </button>
        )}
      </td>
    </tr>
  )
}

interface SortHeadProps {
  readonly sort: Sort
  readonly search: CampaignsSearch
  readonly onChange: (changed: CampaignsSearch) => void
  /** Numbers of campaigns that are not shown are not known. */
  readonly isDisabled?: boolean
}

/** A second click goes back to the newest first. */
function SortHead({ sort, search, onChange, isDisabled = false }: SortHeadProps) {
  const isChosen = search.sort === sort && !isDisabled
  const { measures } = texts.analytics
  return (
    <th scope="col" aria-sort={isChosen ? (sort === 'name' ? 'ascending' : 'descending') : 'none'}>
      <button
        type="button"
        className={styles.sort}
        disabled={isDisabled}
        title={isDisabled ? campaignTexts.sortHint : undefined}
        onClick={() => onChange({ sort: isChosen ? undefined : sort })}
      >
        {sort === 'name' ? campaignTexts.campaign : measures[sort]}
        <ArrowDown size={13} aria-hidden="true" data-up={sort === 'name' || undefined} />
      </button>
    </th>
  )
}

/** What other pages of campaigns show, too. */
function periodIn({ range, from, to, zone }: CampaignsSearch) {
  return { range, from, to, zone }
}

function toggled(chosen: readonly string[], guid: string): readonly string[] {
  return chosen.includes(guid) ? chosen.filter((each) => each !== guid) : [...chosen, guid]
}

function matching(campaigns: readonly Campaign[], q = ''): readonly Campaign[] {
  const words = q.toLowerCase().split(/\s+/)
  return campaigns.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** By name, or the newest first. */
function inOrder(campaigns: readonly Campaign[], sort: Sort | undefined): readonly Campaign[] {
  return sort === 'name' ? campaigns.toSorted((one, other) => one.name.localeCompare(other.name)) : campaigns
}

function byNumbers(
  campaigns: readonly Campaign[],
  sort: Sort | undefined,
  numbers: ReadonlyMap<string, CampaignNumbers>,
): readonly Campaign[] {
  if (sort === undefined || sort === 'name') return campaigns
  const count = ({ guid }: Campaign) => numbers.get(guid)?.[sort] ?? 0
  return campaigns.toSorted((one, other) => count(other) - count(one))
}
