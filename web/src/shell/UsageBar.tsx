import { useQuery } from '@tanstack/react-query'
import { planLimitsQuery } from '../api/queries.js'
import { formatNumber } from '../parts/format.js'
import { Meter } from '../parts/Meter.js'
import { texts } from '../texts/texts.js'
import { useGroup } from './current-group.js'
import styles from './UsageBar.module.css'

/** How much of the month's links are used. */
export function UsageBar() {
  const organization = useGroup()?.organization_guid ?? ''
  const { data } = useQuery({ ...planLimitsQuery(organization), enabled: organization !== '' })
  const links = data?.plan_limits.find(({ name }) => name === 'encodes' || name === 'links')
  if (!links) return <div className={styles.usage} aria-hidden="true" />
  const said = links.unlimited
    ? texts.shell.usageUnlimited(formatNumber(links.count))
    : texts.shell.usage(formatNumber(links.count), formatNumber(links.limit))
  return (
    <div className={styles.usage}>
      <span className="figures">{said}</span>
      {!links.unlimited && <Meter value={links.count} max={links.limit} label={said} />}
    </div>
  )
}
