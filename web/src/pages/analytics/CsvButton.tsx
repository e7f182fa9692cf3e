import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { downloadBlob } from '../../parts/download.js'
import { showError } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import { isoDay } from './period.js'
import { csvOf } from './queries.js'
import type { CsvName } from './reports.js'
import { ownZone } from './zone.js'

interface CsvButtonProps extends Pick<AnalyticsProps, 'subject' | 'search'> {
  readonly dimension: CsvName
}

/** Saves what the card shows, with as many rows as the API gives. */
export function CsvButton({ subject, search, dimension }: CsvButtonProps) {
  return <CsvFileButton title={titleOf(dimension)} name={dimension} read={() => csvOf(subject, dimension, search)} />
}

interface CsvFileButtonProps {
  /** What is in the file. */
  readonly title: string
  /** Of the file, without the day and `.csv`. */
  readonly name: string
  readonly read: () => Promise<Blob>
}

export function CsvFileButton({ title, name, read }: CsvFileButtonProps) {
  const download = useMutation({
    mutationFn: read,
    onSuccess: (file) => downloadBlob(file, `${name}-${isoDay(new Date(), ownZone)}.csv`),
    onError: showError,
  })
  const label = texts.analytics.csv(title)
  return (
    <Tooltip label={label}>
      <ActionIcon size="md" aria-label={label} loading={download.isPending} onClick={() => download.mutate()}>
        <Download size={15} />
      </ActionIcon>
    </Tooltip>
  )
}

function titleOf(name: CsvName): string {
  const { dimensions, hours, overTime } = texts.analytics
  if (name === 'over_time') return overTime
  if (name === 'hours_of_week') return hours.title
  return dimensions[name][0]
}
