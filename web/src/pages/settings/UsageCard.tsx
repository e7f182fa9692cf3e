import { useQuery } from '@tanstack/react-query'
import { planLimitsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { formatCompact, formatNumber } from '../../parts/format.js'
import { Meter } from '../../parts/Meter.js'
import { Rows } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import styles from './settings.module.css'

/** What the plan allows this month, and how much of it is used. */
export function UsageCard({ guid }: { readonly guid: string }) {
  const limits = useQuery(planLimitsQuery(guid))
  return (
    <Card title={people.settings.usage} hint={people.settings.usageHint}>
      <Rows
        query={{ ...limits, data: limits.data?.plan_limits }}
        keyOf={({ name }) => name}
        empty={null}
        className={styles.usage}
        row={({ name, description, count, limit, unlimited }) => (
          <>
            <span>{texts.limits[name] || description || name}</span>
            <span className="figures">
              <strong>{formatCompact(count)}</strong>{' '}
              {unlimited ? people.settings.unlimited : people.settings.ofLimit(formatNumber(limit))}
            </span>
            {!unlimited && <Meter value={count} max={limit} label={texts.limits[name] || description || name} />}
          </>
        )}
      />
    </Card>
  )
}
