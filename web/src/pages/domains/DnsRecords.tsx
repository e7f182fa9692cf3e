import type { BrandedDomain } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge } from '../../parts/format.js'
import { people } from '../../texts/people.js'
import styles from './DomainRow.module.css'

interface DnsRecordsProps {
  readonly dns: NonNullable<BrandedDomain['dns']>
  /** Links can be created before DNS is right. */
  readonly isUsable: boolean
}

/** How to set the records, each part with a button that copies it, and what DNS says now. */
export function DnsRecords({ dns, isUsable }: DnsRecordsProps) {
  const { domains } = people
  return (
    <div className={styles.records}>
      <ol className={styles.steps}>
        {domains.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{domains.type}</th>
            <th>{domains.recordName}</th>
            <th>{domains.value}</th>
          </tr>
        </thead>
        <tbody>
          {dns.required_records.map(({ type, name, value }) => (
            <tr key={`${type} ${name} ${value}`}>
              <td>{type}</td>
              <td>
                <Copied text={name} />
              </td>
              <td>
                <Copied text={value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isUsable && <p className={styles.found}>{domains.usableBefore}</p>}
      <p className={styles.found}>{domains.httpsNeeds}</p>
      <p className={styles.found} role="status">
        {dns.explanation} ({domains.checked} {formatAge(dns.checked_at)}. {domains.watching})
      </p>
    </div>
  )
}

function Copied({ text }: { readonly text: string }) {
  return (
    <span className={styles.copied}>
      <span>{text}</span>
      <CopyButton value={text} label={people.domains.copyValue(text)} />
    </span>
  )
}
