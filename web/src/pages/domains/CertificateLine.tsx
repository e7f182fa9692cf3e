import { Lock, LockOpen } from 'lucide-react'
import type { BrandedDomain } from '../../api/types.js'
import { formatAge, formatDay } from '../../parts/format.js'
import { people } from '../../texts/people.js'
import styles from './DomainRow.module.css'

type Certificate = NonNullable<BrandedDomain['certificate']>

/** Whether HTTPS works: who issued the certificate and until when it is valid, or what is wrong. */
export function CertificateLine({ certificate }: { readonly certificate: Certificate }) {
  const { state } = certificate
  const works = state === 'valid' || state === 'expiring'
  const Picture = works ? Lock : LockOpen
  return (
    <p className={styles.certificate} role="status">
      <Picture size={15} aria-hidden className={styles[state]} />
      <span>
        <span className={styles[state]}>{people.domains.https[state]}</span> {detailsOf(certificate)}
      </span>
    </p>
  )
}

function detailsOf({ state, issuer = '', valid_until = '', explanation, checked_at }: Certificate): string {
  const { domains } = people
  if (state === 'checking') return ''
  const about =
    state === 'valid' || state === 'expiring'
      ? domains.certificate(issuer, formatDay(valid_until))
      : (domains.httpsProblems[state] ?? explanation)
  return checked_at === undefined ? about : `${about} (${domains.checked} ${formatAge(checked_at)})`
}
