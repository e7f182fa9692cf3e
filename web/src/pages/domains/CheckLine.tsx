import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { BrandedDomain } from '../../api/types.js'
import { formatSecondsAgo } from '../../parts/format.js'
import { RunButton } from '../../parts/RunButton.js'
import { domainTexts } from '../../texts/domains.js'
import { isWaiting } from './domain-state.js'
import styles from './domains.module.css'
import { secondsBetweenChecks, useVerify } from './queries.js'

const words = domainTexts.dnsStep

interface CheckLineProps {
  readonly domain: BrandedDomain
  readonly checkedAt: string | undefined
}

/** When it was checked, counting on, and a button that checks now. */
export function CheckLine({ domain, checkedAt }: CheckLineProps) {
  const verify = useVerify(domain)
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = window.setInterval(() => setTick((tick) => tick + 1), 1000)
    return () => window.clearInterval(timer)
  }, [])
  const age = checkedAt === undefined || verify.isPending ? words.checking : words.checked(formatSecondsAgo(checkedAt))
  return (
    <div className={styles.checkLine}>
      <RunButton run={verify} variant="default" leftSection={<RefreshCw size={16} />}>
        {words.check}
      </RunButton>
      <span className="figures">
        {[age, isWaiting(domain) && words.everySeconds(secondsBetweenChecks)].filter(Boolean).join(', ')}
      </span>
    </div>
  )
}
