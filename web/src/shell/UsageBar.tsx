import { useQuery } from '@tanstack/react-query'
import { planLimitsQuery } from '../api/queries.js'
import { formatNumber } from '../parts/format.js'
import { Meter } from '../parts/Meter.js'
import { texts } from '../texts/texts.js'
import { useGroup } from './current-group.js'
import styles from './UsageBar.module.css'

/** The new links of the month; with a limit, what it counts: new links and changed destinations. */
export function UsageBar() {
  const organization = useGroup()?.organization_guid ?? ''
  const { data } = useQuery({ ...planLimitsQuery(organization), enabled: organization !== '' })
  const limitOf = (wanted: string) => data?.plan_limits.find(({ name }) => name === wanted)
  const encodes = limitOf('encodes')
  if (!encodes) return <div className={styles.usage} aria-hidden="true" />
  const said = encodes.unlimited
    ? texts.shell.newLinks(formatNumber(encodes.count - (limitOf('redirects')?.count ?? 0)))
    : texts.shell.usage(formatNumber(encodes.count), formatNumber(encodes.limit))
  return (
    <div className={styles.usage}>
      <span className="figures">{said}</span>
      {!encodes.unlimited && <Meter value={encodes.count} max={encodes.limit} label={said} />}
    </div>
  )
}
