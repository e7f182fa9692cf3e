/**
 * Whether HTTPS works on a branded domain: who issued its certificate, until when it is valid, or what is wrong. Checks run
 * in the background and are cached, because a server that does not answer takes seconds. Knows nothing of sockets.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../values/time.js'

/** Reads the certificate that visitors of a name get. Never rejects: errors are in the finding. */
export interface CertificateLookup {
  read(name: string): Promise<CertificateFinding>
}

export type CertificateFinding =
  | {
      readonly outcome: 'read'
      readonly issuer: string
      /** Undefined when the date cannot be read. */
      readonly validUntil: number | undefined
      /** The host names in it. */
      readonly names: readonly string[]
      /** Why browsers refuse it. */
      readonly fault: CertificateFault | undefined
    }
  | { readonly outcome: 'failed'; readonly reason: ConnectionFault; readonly address?: string }

const certificateFaultNames = [
  'expired',
  'not-yet-valid',
  'other-name',
  'self-signed',
  'unknown-issuer',
  'other',
] as const
export type CertificateFault = (typeof certificateFaultNames)[number]

/** `not-public`: an address that the service must not connect to. */
const connectionFaultNames = ['no-address', 'not-public', 'refused', 'timeout', 'not-tls', 'no-certificate'] as const
export type ConnectionFault = (typeof connectionFaultNames)[number]

export const httpsProblems = [...certificateFaultNames, ...connectionFaultNames] as const

export interface CertificateState {
  readonly state: 'valid' | 'expiring' | 'invalid' | 'unreachable' | 'unknown' | 'checking'
  readonly issuer: string | undefined
  readonly validUntil: number | undefined
  /** Why HTTPS does not work; undefined while it does, or is not known. */
  readonly problem: CertificateFault | ConnectionFault | undefined
  /** For people. */
  readonly explanation: string
  readonly checkedAt: number | undefined
}

export interface CertificateCheckDeps {
  readonly certificateLookup: CertificateLookup
  readonly clock: Clock
  /** A check in the background failed unexpectedly. */
  readonly onFailure: (error: unknown) => void
}

// A working certificate hardly changes within an hour; somebody is probably repairing a broken one.
const validTtl = 3_600_000
const invalidTtl = 60_000
const capacity = 20_000
// Certificates are usually renewed 30 days before their end, those for 90 days at the latest.
const expiringWithin = 14 * 86_400_000

export class CertificateCheck {
  readonly #deps: CertificateCheckDeps
  readonly #cache = new RecentMap<string, CertificateState>(capacity)
  readonly #checks = new Map<string, Promise<CertificateState>>()

  constructor(deps: CertificateCheckDeps) {
    this.#deps = deps
  }

  /** What is known, without waiting; an old state is checked again in the background. */
  current(name: string): CertificateState {
    const known = this.#cache.get(name)
    if (!known || this.#isOld(known)) this.verify(name).catch(this.#deps.onFailure)
    return known ?? checking
  }

  /** Checks now; concurrent callers share one check. */
  verify(name: string): Promise<CertificateState> {
    const running = this.#checks.get(name)
    if (running) return running
    const check = this.#check(name).finally(() => this.#checks.delete(name))
    this.#checks.set(name, check)
    return check
  }

  #isOld({ state, checkedAt = 0 }: CertificateState): boolean {
    return this.#deps.clock.now() - checkedAt >= (state === 'valid' ? validTtl : invalidTtl)
  }

  async #check(name: string): Promise<CertificateState> {
    const finding = await this.#deps.certificateLookup.read(name)
    const state = evaluate(name, finding, this.#deps.clock.now())
    this.#cache.set(name, state)
    return state
  }
}

const checking: CertificateState = {
  state: 'checking',
  issuer: undefined,
  validUntil: undefined,
  problem: undefined,
  explanation: 'The certificate is being checked. Ask again in a few seconds.',
  checkedAt: undefined,
}

function evaluate(name: string, finding: CertificateFinding, checkedAt: number): CertificateState {
  if (finding.outcome === 'failed') {
    const { reason, address } = finding
    const state = reason === 'not-public' ? 'unknown' : 'unreachable'
    const explanation = connectionFaults[reason](name, address ?? '')
    return { state, issuer: undefined, validUntil: undefined, problem: reason, explanation, checkedAt }
  }
  const { issuer, validUntil, names, fault } = finding
  const common = { issuer, validUntil, problem: undefined, checkedAt }
  if (validUntil === undefined) {
    return {
      ...common,
      state: 'invalid',
      problem: 'other',
      explanation: 'The certificate has no end that can be read.',
    }
  }
  const until = dayOf(validUntil)
  if (fault !== undefined) {
    const explanation = certificateFaults[fault]({ name, until, issuer, names })
    return { ...common, state: 'invalid', problem: fault, explanation }
  }
  if (validUntil - checkedAt < expiringWithin) {
    const explanation = `HTTPS works, but the certificate is valid only until ${until}, and was not renewed yet.`
    return { ...common, state: 'expiring', explanation }
  }
  const explanation = `HTTPS works: the certificate of ${issuer} is valid until ${until}.`
  return { ...common, state: 'valid', explanation }
}

const connectionFaults: Readonly<Record<ConnectionFault, (name: string, address: string) => string>> = {
  'no-address': (name) => `${name} has no address in DNS.`,
  'not-public': (name) => `${name} leads to an address that is not public, which is not checked.`,
  refused: (name, address) => `Nothing answers HTTPS for ${name}: ${address} refuses connections on port 443.`,
  timeout: (name, address) => `Nothing answers HTTPS for ${name}: ${address} does not answer in time on port 443.`,
  'not-tls': (name, address) => `The server of ${name} at ${address} does not speak HTTPS on port 443.`,
  'no-certificate': (name, address) => `The server at ${address} has no certificate for ${name} yet.`,
}

interface Faulty {
  readonly name: string
  readonly until: string
  readonly issuer: string
  readonly names: readonly string[]
}

const certificateFaults: Readonly<Record<CertificateFault, (faulty: Faulty) => string>> = {
  expired: ({ until }) => `The certificate expired on ${until}. Browsers warn visitors.`,
  'not-yet-valid': () => 'The certificate is not valid yet. Compare the clocks of the servers.',
  'other-name': ({ name, names }) => `The certificate is not for ${name}, but for ${listed(names)}.`,
  'self-signed': () => 'The certificate is self-signed. Browsers warn visitors.',
  'unknown-issuer': ({ issuer }) =>
    `The certificate of ${issuer} is not trusted: its issuer is unknown, or the server does not send the intermediate certificate.`,
  other: () => 'The certificate is not trusted by browsers.',
}

const maxListed = 5

function listed(names: readonly string[]): string {
  const rest = names.length - maxListed
  return [...names.slice(0, maxListed), ...(rest > 0 ? [`${rest} more`] : [])].join(', ') || 'no name'
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
