/**
 * Whether a branded domain leads visitors here: its DNS records against the targets that the operator configured. It
 * asks for records through a part and remembers the answers; it knows nothing of sockets, statuses or headers.
 */
import { getDomain } from 'tldts'
import { RecentMap } from '../../lib/recent-map.js'
import type { Clock } from '../values/clock.js'
import { Refusal } from '../values/refusal.js'
import type { Domain, Domains } from './domains.js'

/** Asks the domain name system. Never rejects: what could not be asked is in `failure`. */
export interface DnsLookup {
  lookup(name: string): Promise<DnsFinding>
  /** The TXT records of a name, as they are; none when nobody could be asked. */
  texts(name: string): Promise<readonly string[]>
}

export interface DnsFinding {
  readonly records: readonly DnsRecord[]
  /** Why the records may be incomplete: the resolver did not answer, or answered with an error. */
  readonly failure: string | undefined
}

export interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'TXT'
  /** An address, a text, or a name in lower case without a final dot. */
  readonly value: string
}

export interface DnsState {
  /** New links may be made. */
  readonly match: boolean
  /** False when no targets are configured: then every domain is taken at its word. */
  readonly checked: boolean
  /** What to set: one CNAME for a subdomain, all the addresses for a domain that cannot have one. */
  readonly required: readonly DnsRecord[]
  readonly found: readonly DnsRecord[]
  /** What was found and what to set, for people. */
  readonly explanation: string
  readonly checkedAt: number
}

export interface DnsCheckDeps {
  readonly dnsLookup: DnsLookup
  readonly clock: Clock
}

// Our choice: somebody who is setting up records tries again soon; what works hardly ever changes.
const goodFor = 5 * 60_000
const badFor = 15_000
const graceFor = 24 * 60 * 60_000
const capacity = 20_000

export class DnsCheck {
  readonly #deps: DnsCheckDeps
  readonly #targets: readonly string[]
  readonly #known = new RecentMap<string, Remembered>(capacity)
  readonly #asking = new Map<string, Promise<DnsState>>()

  /** `targets`: addresses and host names of this service, as records of others should hold them. None: no checks. */
  constructor(deps: DnsCheckDeps, targets: readonly string[]) {
    this.#deps = deps
    this.#targets = targets
  }

  /** False without targets: then nothing is checked. */
  get isOn(): boolean {
    return this.#targets.length > 0
  }

  /** What is remembered when it is recent enough, else what the domain name system says. */
  async check(name: string): Promise<DnsState> {
    const known = this.#known.get(name)
    return known && this.#deps.clock.now() < known.until ? known.state : this.verify(name)
  }

  /** What the domain name system says now; callers at the same moment share one question. */
  async verify(name: string): Promise<DnsState> {
    const asking = this.#asking.get(name)
    if (asking) return asking
    const question = this.#ask(name).finally(() => this.#asking.delete(name))
    this.#asking.set(name, question)
    return question
  }

  /** Whether a TXT record says that the domain is the organization's. */
  async names(name: string, organizationGuid: string): Promise<boolean> {
    return (await this.#deps.dnsLookup.texts(proofName(name))).includes(organizationGuid)
  }

  /** In this process: after a restart a domain must lead here again first. */
  wasGoodLately(name: string): boolean {
    const goodAt = this.#known.get(name)?.goodAt
    return goodAt !== undefined && this.#deps.clock.now() - goodAt < graceFor
  }

  async #ask(name: string): Promise<DnsState> {
    const checkedAt = this.#deps.clock.now()
    if (this.#targets.length === 0) return unchecked(checkedAt)
    const [finding, accepted] = await Promise.all([this.#deps.dnsLookup.lookup(name), this.#accepted()])
    const failure = finding.failure ?? accepted.failure
    const required = requiredFor(name, this.#targets, accepted)
    const judged = judge(name, { ...finding, failure }, accepted, required)
    const state = { ...judged, checked: true, required, checkedAt }
    const { state: before, goodAt: goodBefore } = this.#known.get(name) ?? {}
    // Our choice: a domain that was good stays good while nobody can be asked; new links must not wait for a resolver.
    const kept = !state.match && failure !== undefined && before?.match ? before : state
    const goodAt = state.match ? checkedAt : goodBefore
    this.#known.set(name, { state: kept, until: checkedAt + (state.match ? goodFor : badFor), goodAt })
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

/** Where the TXT record stands that says whose a domain is; its text is the guid of the organization. */
export function proofName(name: string): string {
  return `_shortlink.${name}`
}

/**
 * Refuses new links on a branded domain that does not lead here, or is not proven to be the organization's. Comes after quotas, before conflicts. A domain whose DNS
 * was right within the last day still gets links: somebody may be changing it at this moment. Answers what is wrong then.
 */
export async function requireDns(deps: ProofDeps, domain: Domain): Promise<string | undefined> {
  if (!domain.branded) return undefined
  if (!domain.isProven) await requireProof(deps, domain)
  const { match, explanation } = await deps.dns.check(domain.name)
  if (match) return undefined
  if (deps.dns.wasGoodLately(domain.name)) return explanation
  throw new Refusal('DNS_CONFIGURATION_ERROR', `The DNS of ${domain.name} is not set up for this service.`, {
    resource: 'shortlinks',
    reason: explanation,
  })
}

/** What it takes to find out whose a domain is, and to keep it. */
export interface ProofDeps {
  readonly dns: DnsCheck
  readonly domains: Pick<Domains, 'prove'>
}

/**
 * Whether DNS proves that the domain is the organization's; if so, it is from now on. A TXT record names the organization.
 * A domain that leads here is proof enough while nobody else waits for it. Where DNS is not checked, only TXT is proof.
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

/** The state of a domain that waits, with the record that proves it where leading here is not enough. */
export function withProof(
  state: DnsState,
  contested: boolean,
  { name, organizationGuid }: { readonly name: string; readonly organizationGuid: string },
): DnsState {
  if (state.checked && !contested) return { ...state, match: false }
  const others = contested ? ' Others say that it is theirs.' : ''
  const explanation = `${state.explanation}${others} To prove that it is yours set: TXT ${proofName(name)} ${organizationGuid}.`
  return {
    ...state,
    match: false,
    required: [...state.required, { type: 'TXT', value: organizationGuid }],
    explanation,
  }
}

interface Remembered {
  readonly state: DnsState
  readonly until: number
  /** When it led here for the last time. */
  readonly goodAt: number | undefined
}

/** What a record may hold to lead here. */
interface Accepted {
  readonly names: readonly string[]
  readonly addresses: readonly DnsRecord[]
  readonly failure: string | undefined
}

function unchecked(checkedAt: number): DnsState {
  const explanation = 'DNS is not checked here: the service has no DNS targets configured.'
  return { match: true, checked: false, required: [], found: [], explanation, checkedAt }
}

/** A name that is registered itself cannot carry a CNAME beside its other records, so it needs addresses. */
function requiredFor(name: string, targets: readonly string[], accepted: Accepted): readonly DnsRecord[] {
  const [alias] = accepted.names
  if (alias !== undefined && getDomain(name) !== name) return [{ type: 'CNAME', value: alias }]
  if (accepted.addresses.length > 0) return accepted.addresses
  // The names of this service lead nowhere at the moment; an alias of the first is still the best advice there is.
  return targets.slice(0, 1).map((value) => ({ type: 'CNAME', value }))
}

function judge(
  name: string,
  { records: found, failure }: DnsFinding,
  accepted: Accepted,
  required: readonly DnsRecord[],
): Pick<DnsState, 'match' | 'found' | 'explanation'> {
  const aliased = found.some(({ type, value }) => type === 'CNAME' && accepted.names.includes(value))
  const addresses = found.filter(({ type }) => type !== 'CNAME')
  const strange = addresses.filter((record) => !accepted.addresses.some((one) => one.value === record.value))
  // Every address must be ours: a browser may take any of them.
  if (aliased || (addresses.length > 0 && strange.length === 0)) {
    return { match: true, found, explanation: `${name} leads here: ${listed(found)}.` }
  }
  const advice = `Set for ${name}: ${listed(required)}.`
  if (failure !== undefined) {
    return { match: false, found, explanation: `${name} could not be checked: ${failure}. ${advice}` }
  }
  if (found.length === 0) return { match: false, found, explanation: `${name} has no A, AAAA or CNAME. ${advice}` }
  const leftOver = strange.length > 0 && strange.length < addresses.length ? ` Remove: ${listed(strange)}.` : ''
  return { match: false, found, explanation: `${name} leads elsewhere: ${listed(found)}. ${advice}${leftOver}` }
}

/** An explanation travels in a header, so it names a few records and counts the rest. */
function listed(records: readonly DnsRecord[]): string {
  const shown = records.slice(0, mostListed).map(({ type, value }) => `${type} ${value}`)
  const rest = records.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

const mostListed = 6

function unique(records: readonly DnsRecord[]): readonly DnsRecord[] {
  return [...new Map(records.map((record) => [record.value, record])).values()]
}

function isAddress(target: string): boolean {
  return target.includes(':') || /^[\d.]+$/.test(target)
}

function addressRecord(value: string): DnsRecord {
  return { type: value.includes(':') ? 'AAAA' : 'A', value }
}
