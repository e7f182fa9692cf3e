import type { BrandedDomain } from '../../api/types.js'
import { formatDay } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { domainTexts } from '../../texts/domains.js'
import { CheckLine } from './CheckLine.js'
import { isHttpOnly } from './domain-state.js'
import styles from './domains.module.css'

const words = domainTexts.httpsStep

/** Whether HTTPS works, in one sentence. Until the domain points here, its certificate is none of ours. */
export function httpsLine(domain: BrandedDomain): string {
  const { dns, certificate } = domain
  if (!certificate) return words.later
  const { state, problem, issuer = '', valid_until } = certificate
  const until = valid_until === undefined ? '' : formatDay(valid_until)
  if (state === 'valid') return words.done(issuer, until)
  if (state === 'expiring') return words.expiring(issuer, until)
  if (!dns?.match) return words.later
  if (state === 'checking') return words.checking
  if (state === 'unknown' || !problem) return words.notChecked
  const said = words.problems[problem]
  return typeof said === 'function' ? said(until) : said
}

/** What HTTPS needs, and who has to do it. */
export function HttpsStep({ domain }: { readonly domain: BrandedDomain }) {
  const { dns, certificate } = domain
  const works = certificate?.state === 'valid' || certificate?.state === 'expiring'
  return (
    <div className={page.form}>
      <p role="status" className={certificate?.problem && dns?.match ? styles.problem : styles.plain}>
        {httpsLine(domain)}
      </p>
      {!works && isHttpOnly(domain) && <p className={styles.plain}>{words.optional}</p>}
      {!works && <p className={styles.plain}>{words.needs}</p>}
      {certificate && dns?.match && <CheckLine domain={domain} checkedAt={certificate.checked_at} />}
    </div>
  )
}
