/** What a branded domain has and lacks, and which step of its set-up is next. */
import type { BrandedDomain } from '../../api/types.js'

export type DomainState = 'loading' | 'waiting' | 'unknown' | 'https' | 'works'

export function stateOf({ dns, certificate }: Partial<BrandedDomain> = {}): DomainState {
  if (!dns) return 'loading'
  if (dns.problem === 'targets_unknown') return 'unknown'
  if (!dns.match) return 'waiting'
  if (certificate?.state === 'checking') return 'loading'
  return certificate && isFaulty(certificate) ? 'https' : 'works'
}

/** Whether something may change soon, because somebody is working on it. */
export function isWaiting(domain: BrandedDomain): boolean {
  return ['waiting', 'https'].includes(stateOf(domain))
}

function isFaulty({ state }: NonNullable<BrandedDomain['certificate']>): boolean {
  return state === 'invalid' || state === 'unreachable'
}

export const stepNames = ['groups', 'dns', 'https', 'pages', 'test'] as const
export type StepName = (typeof stepNames)[number]
/** `later`: another step comes first. `optional`: everything works without it. */
export type StepState = 'done' | 'now' | 'later' | 'optional'

/** One step at most is `now`: the first that is not done and not optional. */
export function stepsOf(domain: BrandedDomain, hasLinks: boolean): Readonly<Record<StepName, StepState>> {
  const { dns, certificate, group_guids, root_url, not_found_url } = domain
  const isDone = {
    groups: group_guids.length > 0,
    dns: dns?.match === true,
    // Also before DNS is right: a proxy in front may have a certificate.
    https: certificate?.state === 'valid' || certificate?.state === 'expiring',
    pages: Boolean(root_url || not_found_url),
    test: hasLinks,
  }
  const isOptional = {
    groups: false,
    dns: false,
    https: isDone.dns && (isHttpOnly(domain) || certificate?.state === 'unknown'),
    pages: true,
    test: false,
  }
  const now = stepNames.find((step) => !isDone[step] && !isOptional[step])
  const stateOfStep = (step: StepName): StepState => {
    if (isDone[step]) return 'done'
    if (isOptional[step]) return 'optional'
    return step === now ? 'now' : 'later'
  }
  return {
    groups: stateOfStep('groups'),
    dns: stateOfStep('dns'),
    https: stateOfStep('https'),
    pages: stateOfStep('pages'),
    test: stateOfStep('test'),
  }
}

/** Short links have the scheme of the service. */
export function isHttpOnly({ references }: Pick<BrandedDomain, 'references'>): boolean {
  return references.organization.startsWith('http://')
}
