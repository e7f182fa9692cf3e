import { useQuery } from '@tanstack/react-query'
import { planLimitsQuery } from '../api/queries.js'
import { formatNumber } from '../parts/format.js'
import { texts } from '../texts/texts.js'
import { useGroup } from './current-group.js'
import styles from './UsageBar.module.css'

/** How much of the month's links are used. */
export function UsageBar() {
  const organization = useGroup()?.organization_guid ?? ''
  const { data } = useQuery({ ...planLimitsQuery(organization), enabled: organization !== '' })
  const links = data?.plan_limits.find(({ name }) => name === 'encodes' || name === 'links')
  if (!links) return <div className={styles.usage} aria-hidden="true" />
  const share = links.unlimited ? 0 : Math.min(1, links.count / Math.max(1, links.limit))
  const said = links.unlimited
    ? texts.shell.usageUnlimited(formatNumber(links.count))
    : texts.shell.usage(formatNumber(links.count), formatNumber(links.limit))
  return (
    <div className={styles.usage}>
      <span className="figures">{said}</span>
      {!links.unlimited && <progress className={styles.bar} value={share} aria-label={said} data-near={share >= 0.8} />}
    </div>
  )
}
