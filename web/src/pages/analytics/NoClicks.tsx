import { Button } from '@mantine/core'
import { Empty } from '../../parts/Empty.js'
import { eventsTexts } from '../../texts/events.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'

/** In place of what splits the clicks of a time, or lists them, while there are none. */
export function NoClicks({ search, onChange }: Pick<AnalyticsProps, 'search' | 'onChange'>) {
  const isAll = search.range === 'all' && search.from === undefined
  const showAll = () => onChange({ ...search, range: 'all', from: undefined, to: undefined, interval: undefined })
  return (
    <Empty
      drawing="clicks"
      title={texts.analytics.none}
      action={
        !isAll && (
          <Button variant="default" onClick={showAll}>
            {texts.analytics.ranges.all}
          </Button>
        )
      }
    >
      {eventsTexts.none}
    </Empty>
  )
}
