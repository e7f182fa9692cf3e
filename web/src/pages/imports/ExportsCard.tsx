/** The exports of a group with progress and file, wherever they were begun. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Card } from '../../parts/Card.js'
import { Rows } from '../../parts/Rows.js'
import { exportListTexts as words } from '../../texts/export-list.js'
import { ExportRow } from './ExportRow.js'
import { exportsQuery } from './queries.js'

interface ExportsCardProps {
  readonly group: string
  readonly mayWrite: boolean
}

export function ExportsCard({ group, mayWrite }: ExportsCardProps) {
  const found = useInfiniteQuery(exportsQuery(group))
  return (
    <Card title={words.title} hint={words.hint}>
      <Rows
        query={{ ...found, data: found.data?.pages.flatMap((each) => each.exports) }}
        keyOf={({ guid }) => guid}
        row={(made) => <ExportRow made={made} mayWrite={mayWrite} />}
        empty={words.none}
      />
    </Card>
  )
}
