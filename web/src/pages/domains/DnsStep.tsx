import { CircleCheck, CircleX, Clock } from 'lucide-react'
import type { BrandedDomain } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import page from '../../parts/page.module.css'
import { domainTexts } from '../../texts/domains.js'
import { CheckLine } from './CheckLine.js'
import styles from './domains.module.css'

const words = domainTexts.dnsStep

type Dns = NonNullable<BrandedDomain['dns']>
type Found = Dns['resolving_records'][number]

/** The records to set beside those that DNS has, and what is wrong. */
export function DnsStep({ domain }: { readonly domain: BrandedDomain }) {
  const { dns } = domain
  if (!dns) return null
  if (dns.problem === 'targets_unknown') return <ForOperator domain={domain.domain} />
  return (
    <div className={page.form}>
      {!dns.match && (
        <ol className={styles.how}>
          {words.how.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <Records dns={dns} />
      {dns.problem && (
        <p role="status" className={styles.problem}>
          {words.problems[dns.problem]}
        </p>
      )}
      {domain.verified && !dns.checked && !dns.match && <p className={page.hint}>{words.usableBefore}</p>}
      <CheckLine domain={domain} checkedAt={dns.checked_at} />
    </div>
  )
}

function Records({ dns }: { readonly dns: Dns }) {
  const left = leftOver(dns)
  return (
    <table className={styles.records}>
      <thead>
        <tr>
          <th scope="col">{words.type}</th>
          <th scope="col">{words.name}</th>
          <th scope="col">{words.expected}</th>
          <th scope="col">{words.found}</th>
        </tr>
      </thead>
      <tbody>
        {dns.required_records.map(({ type, name, value }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td data-label={words.type}>{type}</td>
            <td data-label={words.name}>
              <Copied text={name} />
            </td>
            <td data-label={words.expected}>
              <Copied text={value} />
            </td>
            <td data-label={words.found}>
              <FoundFor dns={dns} type={type} value={value} />
            </td>
          </tr>
        ))}
        {left.map(({ type, name, value }) => (
          <tr key={`found ${type} ${value}`}>
            <td data-label={words.type}>{type}</td>
            <td data-label={words.name}>{name}</td>
            <td aria-hidden="true" />
            <td data-label={words.found} className={styles.bad}>
              <CircleX size={16} aria-hidden="true" />
              <span>
                {words.remove} {value}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Found records that lead visitors elsewhere. The addresses behind an alias go with it. */
function leftOver({ match, required_records, resolving_records }: Dns): readonly Found[] {
  if (match) return []
  const isRequired = ({ type, value }: Found) =>
    required_records.some((required) => required.type === type && required.value === value)
  const aliases = resolving_records.filter(({ type }) => type === 'CNAME')
  return (aliases.length > 0 ? aliases : resolving_records).filter((record) => !isRequired(record))
}

interface FoundForProps {
  readonly dns: Dns
  readonly type: string
  readonly value: string
}

function FoundFor({ dns, type, value }: FoundForProps) {
  const isFound = dns.resolving_records.some((found) => found.type === type && found.value === value)
  if (isFound || dns.match) {
    // Another way to point here is as good, such as an address instead of an alias.
    const others = dns.resolving_records.map((found) => `${found.type} ${found.value}`).join(', ')
    return (
      <span className={styles.good}>
        <CircleCheck size={16} aria-hidden="true" />
        <span>{isFound || others === '' ? words.foundSame : others}</span>
      </span>
    )
  }
  return (
    <span className={styles.open}>
      <Clock size={16} aria-hidden="true" />
      <span>{dns.problem === 'no_answer' ? words.foundUnknown : words.foundNothing}</span>
    </span>
  )
}

/** Nobody but the operator can go on here, so what they need is said in full. */
function ForOperator({ domain }: { readonly domain: string }) {
  const { operator } = domainTexts
  const isOnThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  return (
    <div className={page.form}>
      <p className={styles.plain}>{operator.what}</p>
      <ul className={styles.options}>
        <li>
          <Copied text="--base-url https://links.example.com" /> {operator.baseUrl}
        </li>
        <li>
          <Copied text="--dns-targets 203.0.113.7" /> {operator.targets}
        </li>
      </ul>
      <p className={styles.plain}>{operator.after}</p>
      {isOnThisMachine && (
        <>
          <p className={styles.plain}>{operator.tryIt}</p>
          <div className={page.secret}>
            <Copied text={`127.0.0.1 ${domain}`} />
          </div>
        </>
      )}
    </div>
  )
}

function Copied({ text }: { readonly text: string }) {
  return (
    <span className={styles.copied}>
      <code>{text}</code>
      <CopyButton value={text} label={words.copyValue(text)} />
    </span>
  )
}
