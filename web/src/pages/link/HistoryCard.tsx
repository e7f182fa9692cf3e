/** The place of the history. */
import { Skeleton } from '@mantine/core'
import { Card } from '../../parts/Card.js'
import { suspendingPart } from '../../parts/lazy-part.js'
import { WhenSeen } from '../../parts/WhenSeen.js'
import { texts } from '../../texts/texts.js'
import type { HistoryProps } from './History.js'

const History = suspendingPart(() => import('./History.js'), 'History')

export function HistoryCard(props: HistoryProps) {
  return (
    <Card title={texts.link.history}>
      <WhenSeen fallback={<Skeleton height={72} />}>
        <History {...props} />
      </WhenSeen>
    </Card>
  )
}
