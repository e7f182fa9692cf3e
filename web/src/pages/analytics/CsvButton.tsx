import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { downloadBlob } from '../../parts/download.js'
import { showError } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import type { Dimension } from './dimensions.js'
import { isoDay } from './period.js'
import { csvOf } from './queries.js'
import { ownZone } from './zone.js'

interface CsvButtonProps extends Pick<AnalyticsProps, 'subject' | 'search'> {
  readonly dimension: Dimension | 'over_time'
}

/** Saves what the card shows, with all its rows. */
export function CsvButton({ subject, search, dimension }: CsvButtonProps) {
  const download = useMutation({
    mutationFn: () => csvOf(subject, dimension, search),
    onSuccess: (text) =>
      downloadBlob(new Blob([text], { type: 'text/csv' }), `${dimension}-${isoDay(new Date(), ownZone)}.csv`),
    onError: showError,
  })
  const label = texts.analytics.csv(
    dimension === 'over_time' ? texts.analytics.overTime : texts.analytics.dimensions[dimension][0],
  )
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="md"
        aria-label={label}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        <Download size={15} />
      </ActionIcon>
    </Tooltip>
  )
}
