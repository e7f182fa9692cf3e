/**
 * Checks whether the DNS records of a branded domain point to the targets that the operator configured, or else to the host
 * of the base URL, and whether an organization owns the domain. Caches the results. Knows nothing of sockets, statuses or headers.
 */
import { getDomain } from 'tldts'
import { RecentMap } from '../../lib/recent-map.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Domain, Domains } from './domains.js'

/** Queries DNS. Never rejects: errors are in `failure`. */
export interface DnsLookup {
  lookup(name: string): Promise<DnsFinding>
  /** The TXT records of a name; empty when the query fails. */
  texts(name: string): Promise<readonly string[]>
}

export interface DnsFinding {
  readonly records: readonly DnsRecord[]
  /** Why the records may be incomplete: the resolver did not answer, or answered with an error. */
  readonly failure: string | undefined
}

export interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'TXT'
  /** An IP address, a text, or a host name in lower case without a trailing dot. */
  readonly value: string
}

/** The last two are about the proof of ownership: the records point here, or need not. */
export const dnsProblems = [
  'targets-unknown',
  'no-answer',
  'no-records',
  'points-elsewhere',
  'not-proven',
  'contested',
] as const
type DnsProblem = (typeof dnsProblems)[number]

export interface DnsState {
  /** Whether the records point here. */
  readonly match: boolean
  /** Whether new links need a match. False when no targets are configured. */
  readonly checked: boolean
  /** The records to set: a CNAME for a subdomain, all addresses for a registered domain. */
  readonly required: readonly DnsRecord[]
  readonly found: readonly DnsRecord[]
  /** Why there is no match; undefined if there is one. */
  readonly problem: DnsProblem | undefined
  /** Found and required records, for people. */
  readonly explanation: string
  readonly checkedAt: number
}

export interface DnsCheckDeps {
  readonly dnsLookup: DnsLookup
  readonly clock: Clock
}

// Failures expire soon, because somebody is probably editing the records; correct records hardly ever change.
const matchTtl = 5 * 60_000
const mismatchTtl = 15_000
const gracePeriod = 24 * 60 * 60_000
const capacity = 20_000

export class DnsCheck {
  readonly #deps: DnsCheckDeps
  readonly #targets: readonly string[]
  readonly #cache = new RecentMap<string, CachedState>(capacity)
  readonly #queries = new Map<string, Promise<DnsState>>()

  /** False without configured targets: records are shown, but neither links nor proofs of ownership depend on them. */
  readonly isOn: boolean

  /**
   * `targets`: IP addresses and host names of this service, as configured. `derived` is what the base URL says about
   * them. It may be a host that many services share, such as a proxy of others, so pointing there proves nothing.
   */
  constructor(deps: DnsCheckDeps, targets: readonly string[], derived: readonly string[] = []) {
    this.#deps = deps
    this.isOn = targets.length > 0
    this.#targets = this.isOn ? targets : derived
  }

  /** Returns the cached result if it is recent enough, else queries DNS. */
  async check(name: string): Promise<DnsState> {
    const known = this.#cache.get(name)
    return known && this.#deps.clock.now() < known.until ? known.state : this.verify(name)
  }

  /** The last result, however old it is; undefined before the first. */
  known(name: string): DnsState | undefined {
    return this.#cache.get(name)?.state
  }

  /** Queries DNS; concurrent callers share one query. */
  async verify(name: string): Promise<DnsState> {
    const running = this.#queries.get(name)
    if (running) return running
    const query = this.#query(name).finally(() => this.#queries.delete(name))
    this.#queries.set(name, query)
    return query
  }

  /** Whether a TXT record names the organization as owner of the domain. */
  async names(name: string, organizationGuid: string): Promise<boolean> {
    return (await this.#deps.dnsLookup.texts(proofName(name))).includes(organizationGuid)
  }

  /** In memory only: after a restart the domain must match once before the grace period applies. */
  matchedRecently(name: string): boolean {
    const matchedAt = this.#cache.get(name)?.matchedAt
    return matchedAt !== undefined && this.#deps.clock.now() - matchedAt < gracePeriod
  }

  async #query(name: string): Promise<DnsState> {
    const checkedAt = this.#deps.clock.now()
    if (this.#targets.length === 0) return unknown(checkedAt)
    const [finding, accepted] = await Promise.all([this.#deps.dnsLookup.lookup(name), this.#accepted()])
    const failure = finding.failure ?? accepted.failure
    const required = requiredFor(name, this.#targets, accepted)
    const evaluation = evaluate(name, { ...finding, failure }, accepted, required)
    const state = { ...evaluation, checked: this.isOn, required, checkedAt }
    const { state: before, matchedAt: matchedBefore } = this.#cache.get(name) ?? {}
    // A domain that matched keeps matching while DNS is unreachable: new links must not depend on a resolver.
    const kept = !state.match && failure !== undefined && before?.match ? before : state
    const matchedAt = state.match ? checkedAt : matchedBefore
    this.#cache.set(name, { state: kept, until: checkedAt + (state.match ? matchTtl : mismatchTtl), matchedAt })
    return kept
  }

  async #accepted(): Promise<Accepted> {
    const names = this.#targets.filter((target) => !isAddress(target))
    const behind = await Promise.all(names.map((name) => this.#deps.dnsLookup.lookup(name)))
    const resolved = behind.flatMap(({ records }) => records.filter(({ type }) => type !== 'CNAME'))
    const given = this.#targets.filter(isAddress).map(addressRecord)
    const failure = behind.find((finding) => finding.failure !== undefined)?.failure
    return { names, addresses: unique([...given, ...resolved]), failure }
  }
}

/** The name of the TXT record that proves ownership; its text is the organization's guid. */
export function proofName(name: string): string {
  return `_shortlink.${name}`
}

/**
 * Throws when a branded domain does not point here, or is not proven to belong to the organization. Called after quotas,
 * before conflicts. A domain that matched within the last day still accepts links, because somebody may be editing its
 * records; the explanation is returned then.
 */
export async function requireDns(deps: ProofDeps, domain: Domain): Promise<string | undefined> {
  if (!domain.branded) return undefined
  if (!domain.isProven) await requireProof(deps, domain)
  if (!deps.dns.isOn) return undefined
  const { match, explanation } = await deps.dns.check(domain.name)
  if (match) return undefined
  if (deps.dns.matchedRecently(domain.name)) return explanation
  throw new Refusal('DNS_CONFIGURATION_ERROR', `The DNS of ${domain.name} is not set up for this service.`, {
    resource: 'shortlinks',
    reason: explanation,
  })
}

/** What the ownership check needs. */
export interface ProofDeps {
  readonly dns: DnsCheck
  readonly domains: Pick<Domains, 'prove'>
}

/**
 * Checks whether DNS proves that the organization owns the domain, and stores a proof. A TXT record with the
 * organization's guid always proves it. A domain that points here is proof only while no other organization claims it,
 * and only if DNS is checked.
 */
export async function proveByDns(
  { dns, domains }: ProofDeps,
  { name, organizationGuid }: { readonly name: string; readonly organizationGuid: string },
): Promise<'proven' | 'contested' | 'taken' | 'not-proven'> {
  const isNamed = await dns.names(name, organizationGuid)
  if (!isNamed) {
    const { checked, match } = await dns.check(name)
    if (!checked || !match) return 'not-proven'
  }
  const outcome = await domains.prove(organizationGuid, name, !isNamed)
  return outcome === 'no-domain' ? 'taken' : outcome
}

async function requireProof(deps: ProofDeps, { name, organizationGuid = '' }: Domain): Promise<void> {
  const outcome = await proveByDns(deps, { name, organizationGuid })
  if (outcome === 'proven') return
  const reason = withProof(await deps.dns.check(name), outcome === 'contested', { name, organizationGuid }).explanation
  throw new Refusal('DNS_CONFIGURATION_ERROR', `The DNS of ${name} is not set up for this service.`, {
    resource: 'shortlinks',
    reason,
  })
}

/** The state of an unproven domain, with the TXT record to set where pointing here is not enough. */
export function withProof(
  state: DnsState,
  contested: boolean,
  { name, organizationGuid }: { readonly name: string; readonly organizationGuid: string },
): DnsState {
  const problem = state.problem ?? (contested ? 'contested' : 'not-proven')
  if (state.checked && !contested) return { ...state, match: false, problem }
  const others = contested ? ' Another organization claims it too.' : ''
  const explanation = `${state.explanation}${others} To prove that it is yours, set: TXT ${proofName(name)} ${organizationGuid}.`
  return {
    ...state,
    match: false,
    problem,
    required: [...state.required, { type: 'TXT', value: organizationGuid }],
    explanation,
  }
}

interface CachedState {
  readonly state: DnsState
  readonly until: number
  /** When it last matched. */
  readonly matchedAt: number | undefined
}

/** The record values that point here. */
interface Accepted {
  readonly names: readonly string[]
  readonly addresses: readonly DnsRecord[]
  readonly failure: string | undefined
}

function unknown(checkedAt: number): DnsState {
  const explanation =
    'The records to set are not known, because the base URL of this service is an address of its machine or its network only. ' +
    'Its operator sets --base-url to the public URL of the service, or --dns-targets to its public addresses.'
  return { match: false, checked: false, required: [], found: [], problem: 'targets-unknown', explanation, checkedAt }
}

/** A registered domain cannot have a CNAME beside its other records, so it needs A and AAAA records. */
function requiredFor(name: string, targets: readonly string[], accepted: Accepted): readonly DnsRecord[] {
  const [alias] = accepted.names
  if (alias !== undefined && getDomain(name) !== name) return [{ type: 'CNAME', value: alias }]
  if (accepted.addresses.length > 0) return accepted.addresses
  // The targets do not resolve at the moment; a CNAME to the first one is still the best advice.
  return targets.slice(0, 1).map((value) => ({ type: 'CNAME', value }))
}

function evaluate(
  name: string,
  { records: found, failure }: DnsFinding,
  accepted: Accepted,
  required: readonly DnsRecord[],
): Pick<DnsState, 'match' | 'found' | 'problem' | 'explanation'> {
  const aliased = found.some(({ type, value }) => type === 'CNAME' && accepted.names.includes(value))
  const addresses = found.filter(({ type }) => type !== 'CNAME')
  const foreign = addresses.filter((record) => !accepted.addresses.some((one) => one.value === record.value))
  // All addresses must be ours, because a browser may use any of them.
  if (aliased || (addresses.length > 0 && foreign.length === 0)) {
    return { match: true, found, problem: undefined, explanation: `${name} points here: ${listed(found)}.` }
  }
  const advice = `Set for ${name}: ${listed(required)}.`
  if (failure !== undefined) {
    const explanation = `${name} could not be checked: ${failure}. ${advice}`
    return { match: false, found, problem: 'no-answer', explanation }
  }
  if (found.length === 0) {
    return { match: false, found, problem: 'no-records', explanation: `${name} has no A, AAAA or CNAME. ${advice}` }
  }
  const leftOver = foreign.length > 0 && foreign.length < addresses.length ? ` Remove: ${listed(foreign)}.` : ''
  const explanation = `${name} points elsewhere: ${listed(found)}. ${advice}${leftOver}`
  return { match: false, found, problem: 'points-elsewhere', explanation }
}

/** Explanations are sent in a header, so list a few records and count the rest. */
function listed(records: readonly DnsRecord[]): string {
  const shown = records.slice(0, maxListed).map(({ type, value }) => `${type} ${value}`)
  const rest = records.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

const maxListed = 6

function unique(records: readonly DnsRecord[]): readonly DnsRecord[] {
  return [...new Map(records.map((record) => [record.value, record])).values()]
}

function isAddress(target: string): boolean {
  return target.includes(':') || /^[\d.]+$/.test(target)
}

function addressRecord(value: string): DnsRecord {
  return { type: value.includes(':') ? 'AAAA' : 'A', value }
}
