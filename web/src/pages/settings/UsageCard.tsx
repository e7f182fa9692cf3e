import { useQuery } from '@tanstack/react-query'
import { planLimitsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { formatNumber } from '../../parts/format.js'
import { Meter } from '../../parts/Meter.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

/** What the plan allows this month, and how much of it is used. */
export function UsageCard({ guid }: { readonly guid: string }) {
  const limits = useQuery(planLimitsQuery(guid))
  return (
    <Card title={people.settings.usage}>
      <Rows
        query={{ ...limits, data: limits.data?.plan_limits }}
        keyOf={({ name }) => name}
        empty={null}
        row={({ name, description, count, limit, unlimited }) => (
          <>
            <RowText title={texts.limits[name] || description || name}>
              {unlimited
                ? people.settings.usedUnlimited(formatNumber(count))
                : people.settings.used(formatNumber(count), formatNumber(limit))}
            </RowText>
            {!unlimited && <Meter value={count} max={limit} label={texts.limits[name] || description || name} />}
          </>
        )}
      />
    </Card>
  )
}
