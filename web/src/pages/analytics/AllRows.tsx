/** All rows of a card, with a search. */
import { Skeleton, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '../../parts/Dialog.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import styles from './Analytics.module.css'
import type { Dimension } from './dimensions.js'
import { allRows, rowsQuery } from './queries.js'
import { FilterRows, labelOf } from './RowsCard.js'

interface AllRowsProps extends AnalyticsProps {
  readonly dimension: Dimension
  readonly onClose: () => void
}

export function AllRows({ dimension, onClose, ...props }: AllRowsProps) {
  const [words, setWords] = useState('')
  const found = useQuery(rowsQuery(props.subject, dimension, props.search, allRows))
  const wanted = words.trim().toLowerCase()
  const rows = found.data?.filter((row) =>
    [labelOf(dimension, row), row.value, row.region].some((text) => text?.toLowerCase().includes(wanted)),
  )
  return (
    <Dialog onClose={onClose} title={texts.analytics.dimensions[dimension][0]} size="lg">
      <TextInput
        aria-label={texts.analytics.search}
        placeholder={texts.analytics.search}
        leftSection={<Search size={16} />}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
        data-autofocus
        mb="md"
      />
      {found.isPending && <Skeleton height={320} />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {rows?.length === 0 && <p className={styles.none}>{texts.analytics.noMatch}</p>}
      {rows && <FilterRows {...props} dimension={dimension} rows={rows} />}
    </Dialog>
  )
}
