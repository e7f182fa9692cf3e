/** The place of the history. */
import { Skeleton } from '@mantine/core'
import { Card } from '../../parts/Card.js'
import { WhenSeen } from '../../parts/WhenSeen.js'
import { texts } from '../../texts/texts.js'
import { History, type HistoryProps } from './History.js'

export function HistoryCard(props: HistoryProps) {
  return (
    <Card title={texts.link.history}>
      <WhenSeen fallback={<Skeleton height={72} />}>
        <History {...props} />
      </WhenSeen>
    </Card>
  )
}
