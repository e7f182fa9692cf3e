/**
 * The short domains of this service: built-in ones from the configuration, branded ones of organizations. All of them
 * are held in memory, because every redirect asks for one by its host and must not wait. It knows no HTTP and no DNS.
 */
import { RecentMap } from '../../lib/recent-map.js'
import { quoted, Refusal } from '../values/refusal.js'
import { type BuiltInDomain, DomainNames, type ShownAddress } from './domain-names.js'
import type { BrandedDomain, DomainStore } from './domain-store.js'

/** A host name that short links live on. */
export interface Domain {
  /** What stored addresses on it begin with. It never changes. */
  readonly key: string
  /** What people read and write; that of a built-in domain may change. */
  readonly name: string
  /** It was asked for by a name that it had before. */
  readonly byFormerName: boolean
  /** It belongs to an organization; the others are the service's own. */
  readonly branded: boolean
  readonly organizationGuid: string | undefined
  /** False for a branded domain that only its organization says is its own: nobody else sees it, and it has no links. */
  readonly isProven: boolean
  /** The groups that may make links on a branded domain. On a built-in one everybody may. */
  readonly groupGuids: readonly string[]
  readonly rootUrl: string | undefined
  readonly notFoundUrl: string | undefined
}

export interface DomainsDeps {
  readonly domainStore: Pick<DomainStore, 'list' | 'listBuiltIn' | 'preferences' | 'prove' | 'version'>
  /** Told when the table could not be read again; the one in memory stays in use. */
  readonly onFailure: (error: unknown) => void
}

export interface DomainsOptions {
  /** What counts until the service was started once. Lower case, with a port where it is not the scheme's own. */
  readonly builtIn: readonly [string, ...string[]]
  /** Where the API is reached. */
  readonly baseUrl: string
}

// Our choice: a domain added, changed or removed by another process is known here after this long.
const refreshEvery = 5000
const spellingsKept = 1000

export class Domains {
  readonly #deps: DomainsDeps
  readonly #apiHost: string
  #builtIn: BuiltInTable
  #byHost: ReadonlyMap<string, Domain>
  /** Those that wait for proof, perhaps several of one name. */
  #pending: readonly Domain[] = []
  /** Hosts that are not written as a domain is kept, and what they mean; null: none. Working it out costs 300 ns. */
  readonly #spellings = new RecentMap<string, Domain | null>(spellingsKept)
  #preferences: ReadonlyMap<string, string> = new Map()
  #version: number | undefined
  #started = 0
  #applied = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: DomainsDeps, options: DomainsOptions) {
    this.#deps = deps
    this.#apiHost = new URL(options.baseUrl).hostname
    this.#builtIn = builtInTable(
      options.builtIn.map((name, position) => ({ key: name, name, formerNames: [], position })),
    )
    this.#byHost = this.#builtIn.byName
  }

  /** Reads the table, and from then on again whenever somebody has changed it, until `close`. */
  async start(): Promise<void> {
    await this.refresh()
    this.#timer = setInterval(() => this.#follow().catch(this.#deps.onFailure), refreshEvery).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Call after a change of domains, assignments or preferences: when it returns, the change is in memory. */
  async refresh(): Promise<void> {
    this.#started += 1
    const turn = this.#started
    const { domainStore } = this.#deps
    // The version first: a change that comes in between is then seen once too often instead of never.
    const version = await domainStore.version()
    const [builtIn, all, preferences] = await Promise.all([
      domainStore.listBuiltIn(),
      domainStore.list(undefined),
      domainStore.preferences(),
    ])
    // One that began later has seen more and may have come back earlier.
    if (turn < this.#applied) return
    this.#applied = turn
    this.#version = version
    if (builtIn.length > 0) this.#builtIn = builtInTable(builtIn)
    // Built-in names win: one that is configured after an organization brought it must go on working.
    const branded = all.filter(({ isProven }) => isProven).map(byName)
    this.#byHost = new Map([...this.#builtIn.byFormerName, ...branded, ...this.#builtIn.byName])
    this.#pending = all.filter(({ isProven }) => !isProven).map(brandedDomain)
    this.#spellings.clear()
    this.#preferences = preferences
  }

  /** The domain a Host header means. Branded domains answer on any port, built-in ones on theirs. // Our choice */
  find(host: string): Domain | undefined {
    const known = this.#byHost.get(host) ?? this.#spellings.get(host)
    if (known !== undefined) return known ?? undefined
    const found = this.#spelled(host)
    this.#spellings.set(host, found ?? null)
    return found
  }

  /** The configured built-in domains in their order; the first is the default. */
  get builtIn(): readonly [Domain, ...Domain[]] {
    return this.#builtIn.configured
  }

  /** The built-in domain that is used where none is named. */
  get default(): Domain {
    return this.#builtIn.configured[0]
  }

  /** See `DomainNames`, these four: the only way from what people write to what is stored, and back. */
  keyOf(name: string): string {
    return this.#builtIn.names.keyOf(name)
  }

  nameOf(key: string): string {
    return this.#builtIn.names.nameOf(key)
  }

  addressOf(domain: string, backHalf: string): string | undefined {
    return this.#builtIn.names.addressOf(domain, backHalf)
  }

  shown(address: string): ShownAddress {
    return this.#builtIn.names.shown(address)
  }

  /** The domain of this name, exactly; names have no case. */
  named(name: string): Domain | undefined {
    return this.#byHost.get(name.toLowerCase())
  }

  /** A domain that waits for proof, for a group that will use it. Nobody else hears of it. */
  pending(name: string, groupGuid: string): Domain | undefined {
    const wanted = name.toLowerCase()
    return this.#pending.find((domain) => domain.name === wanted && domain.groupGuids.includes(groupGuid))
  }

  /** See `DomainStore.prove`; what is proven is in memory when this returns. */
  async prove(organizationGuid: string, name: string, alone: boolean): ReturnType<DomainStore['prove']> {
    const outcome = await this.#deps.domainStore.prove(organizationGuid, name, alone)
    await this.refresh()
    return outcome
  }

  /** Whether a host is one of the short domains: what is there already needs no shortening. */
  includes(host: string): boolean {
    return this.find(host) !== undefined
  }

  isBranded(name: string): boolean {
    return this.#byHost.get(name)?.branded ?? false
  }

  /** Whether the name, which has no port, is one that visitors reach short links by; certificates are made for these. */
  isServed(name: string): boolean {
    return this.#builtIn.hostNames.has(name) || this.isBranded(name)
  }

  /** Whether the name belongs to the service itself: a built-in domain, now or before, or the host of the API. */
  isOwn(name: string): boolean {
    return this.#builtIn.hostNames.has(name) || name === this.#apiHost
  }

  /** What new links of a group live on unless told otherwise. */
  preferredBy(groupGuid: string): Domain {
    const key = this.#preferences.get(groupGuid)
    const preferred = key === undefined ? undefined : this.#byHost.get(this.nameOf(key))
    // A domain may have been taken from the group since it was preferred.
    if (preferred && mayUse(groupGuid, preferred)) return preferred
    return this.default
  }

  /** Every branded domain that one of the groups may use, in alphabetical order. */
  brandedOf(groupGuids: readonly string[]): readonly string[] {
    const wanted = new Set(groupGuids)
    const found = [...this.#byHost.values()].filter((domain) => domain.groupGuids.some((guid) => wanted.has(guid)))
    return found.map((domain) => domain.name).sort()
  }

  /** Ten thousand domains take a tenth of a second to read from SQLite, so only a change is worth it. */
  async #follow(): Promise<void> {
    if ((await this.#deps.domainStore.version()) !== this.#version) await this.refresh()
  }

  #spelled(host: string): Domain | undefined {
    const lower = host.toLowerCase()
    const found = this.#byHost.get(lower)
    if (found) return found
    const branded = this.#byHost.get(withoutPort(lower).replace(/\.$/, ''))
    return branded?.branded ? branded : undefined
  }
}

/** The domain a wish names, or the one the group prefers when it names none. `field` is the argument it came in. */
export function domainFor(
  deps: { readonly domains: Domains },
  groupGuid: string,
  input: string | undefined,
  field = 'domain',
): Domain {
  if (input === undefined) return deps.domains.preferredBy(groupGuid)
  const domain = deps.domains.named(input) ?? deps.domains.pending(input, groupGuid)
  if (!domain || !mayUse(groupGuid, domain)) {
    // One message for both: whose domain it is instead is nobody's business.
    const message = `The domain ${quoted(input)} is not a short domain of this service that the group may use.`
    throw new Refusal('INVALID_ARG_DOMAIN', message, { resource: 'shortlinks', field })
  }
  return domain
}

function mayUse(groupGuid: string, domain: Domain): boolean {
  return !domain.branded || domain.groupGuids.includes(groupGuid)
}

/** All that follows from the list of built-in domains. */
interface BuiltInTable {
  readonly names: DomainNames
  readonly configured: readonly [Domain, ...Domain[]]
  readonly byName: ReadonlyMap<string, Domain>
  readonly byFormerName: ReadonlyMap<string, Domain>
  /** Every name it has or had, without port. */
  readonly hostNames: ReadonlySet<string>
}

function builtInTable(builtIn: readonly BuiltInDomain[]): BuiltInTable {
  const byName = new Map(builtIn.map((domain) => [domain.name, builtInDomain(domain, false)]))
  const formerNames = builtIn.flatMap((domain) => domain.formerNames.map((name) => ({ name, domain })))
  const inOrder = [...builtIn].sort((one, other) => (one.position ?? 0) - (other.position ?? 0))
  const configured = inOrder.filter(({ position }) => position !== undefined)
  const [first, ...others] = configured.map((domain) => builtInDomain(domain, false))
  if (first === undefined) throw new Error('no built-in domain is configured')
  return {
    names: new DomainNames(builtIn),
    configured: [first, ...others],
    byName,
    byFormerName: new Map(formerNames.map(({ name, domain }) => [name, builtInDomain(domain, true)])),
    hostNames: new Set([...byName.keys(), ...formerNames.map(({ name }) => name)].map(withoutPort)),
  }
}

function builtInDomain({ key, name }: BuiltInDomain, byFormerName: boolean): Domain {
  return {
    key,
    name,
    byFormerName,
    branded: false,
    organizationGuid: undefined,
    isProven: true,
    groupGuids: [],
    rootUrl: undefined,
    notFoundUrl: undefined,
  }
}

function byName(domain: BrandedDomain): [string, Domain] {
  return [domain.name, brandedDomain(domain)]
}

function brandedDomain({ name, organizationGuid, isProven, groupGuids, rootUrl, notFoundUrl }: BrandedDomain): Domain {
  const names = { key: name, name, byFormerName: false }
  return { ...names, branded: true, organizationGuid, isProven, groupGuids, rootUrl, notFoundUrl }
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}
