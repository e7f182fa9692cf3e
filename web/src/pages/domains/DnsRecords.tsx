import type { BrandedDomain } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge } from '../../parts/format.js'
import { people } from '../../texts/people.js'
import styles from './DomainRow.module.css'

/** The records to set, each part with a button that copies it, and what DNS says now. */
export function DnsRecords({ dns }: { readonly dns: NonNullable<BrandedDomain['dns']> }) {
  const { domains } = people
  return (
    <div className={styles.records}>
      <p>{domains.setRecords}</p>
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
