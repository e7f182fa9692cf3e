/** Countries on a map and as a list, and cities. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MapSkeleton, WorldMap } from '../../charts/WorldMap.js'
import { Card } from '../../parts/Card.js'
import { WhenSeen } from '../../parts/WhenSeen.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import styles from './Analytics.module.css'
import { CardTabs } from './CardTabs.js'
import { CsvButton } from './CsvButton.js'
import { readFilter, toggleValue } from './filters.js'
import { rowsQuery } from './queries.js'
import { DimensionRows } from './RowsCard.js'

const dimensions = ['countries', 'cities'] as const
/** More than there are. */
const countries = 300

export function PlacesCard(props: AnalyticsProps) {
  const { subject, search, onChange } = props
  const dimension = dimensions.find((each) => each === search.places) ?? 'countries'
  const found = useQuery({ ...rowsQuery(subject, 'countries', search, countries), placeholderData: keepPreviousData })
  return (
    <Card>
      <div className={styles.places}>
        <WhenSeen fallback={<MapSkeleton />}>
          <WorldMap
            values={new Map(found.data?.map(({ value, count }) => [value, count]))}
            chosen={new Set(readFilter(search.country)?.values)}
            onChoose={(code) => onChange(toggleValue(search, 'country', code))}
          />
        </WhenSeen>
        <div>
          <CardTabs
            isHeading
            label={texts.analytics.cards.places}
            tabs={dimensions.map((value) => ({ value, label: texts.analytics.dimensions[value][0] }))}
            chosen={dimension}
            onChoose={(places) => onChange({ ...search, places }, true)}
            actions={<CsvButton {...props} dimension={dimension} />}
          />
          {dimension === 'countries' ? (
            <DimensionRows {...props} dimension="countries" size={countries} />
          ) : (
            <DimensionRows {...props} dimension="cities" />
          )}
        </div>
      </div>
    </Card>
  )
}
