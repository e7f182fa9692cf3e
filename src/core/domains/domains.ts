/**
 * The short domains of this service: built-in ones from the configuration, and branded ones of organizations. All are in
 * memory, because every redirect looks up its host and must not wait. Knows nothing of HTTP or DNS.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import { isBackHalf, isForeignBackHalf } from '../values/address.js'
import { quoted, Refusal } from '../values/refusal.js'
import type { BrandedDomain, BuiltInDomain, DomainStore } from './domain-store.js'

/** A host name that serves short links. */
export interface Domain {
  /** The first part of stored addresses. It never changes. */
  readonly key: string
  /** The displayed name; that of a built-in domain may change. */
  readonly name: string
  /** Whether the lookup used a former name. */
  readonly byFormerName: boolean
  /** Whether it belongs to an organization; otherwise it is built in. */
  readonly branded: boolean
  readonly organizationGuid: string | undefined
  /** False for a branded domain without proof of ownership: only its organization sees it, and it has no links. */
  readonly isProven: boolean
  /** The groups that may create links on a branded domain. On a built-in one all groups may. */
  readonly groupGuids: readonly string[]
  readonly rootUrl: string | undefined
  readonly notFoundUrl: string | undefined
}

export interface DomainsDeps {
  readonly domainStore: Pick<DomainStore, 'list' | 'listBuiltIn' | 'preferences' | 'prove' | 'version'>
  /** Called when the domains cannot be read again; the ones in memory stay in use. */
  readonly onFailure: (error: unknown) => void
  /** Called when they were read again. */
  readonly onChange?: () => void
}

export interface DomainsOptions {
  /** Built-in domains until the store has some. Lower case, with a port unless it is the default port. */
  readonly builtIn: readonly [string, ...string[]]
  /** The URL of the API. */
  readonly baseUrl: string
  /** Names that clients send for the default domain. In lower case; never shown or served. */
  readonly aliases?: readonly string[]
}

// Maximum delay until a change by another process takes effect here.
const refreshInterval = 5000

export class Domains {
  readonly #deps: DomainsDeps
  readonly #apiHost: string
  readonly #aliases: ReadonlySet<string>
  #builtIn: BuiltInTable
  #byHost: ReadonlyMap<string, Domain>
  /** Unproven domains; several may have the same name. */
  #pending: readonly Domain[] = []
  #preferences: ReadonlyMap<string, string> = new Map()
  #version: number | undefined
  #started = 0
  #applied = 0
  #refreshing: PeriodicTask | undefined

  constructor(deps: DomainsDeps, options: DomainsOptions) {
    this.#deps = deps
    this.#apiHost = new URL(options.baseUrl).hostname
    this.#aliases = new Set(options.aliases)
    this.#builtIn = builtInTable(
      options.builtIn.map((name, position) => ({ key: name, name, formerNames: [], position })),
    )
    this.#byHost = this.#builtIn.byName
  }

  /** Reads the domains, and again whenever they change, until `close`. */
  async start(): Promise<void> {
    await this.refresh()
    this.#refreshing = new PeriodicTask(refreshInterval, () => this.#refreshIfChanged(), this.#deps.onFailure)
  }

  close(): void {
    this.#refreshing?.stop()
  }

  /** Call after a change of domains, assignments or preferences; it is in memory when this resolves. */
  async refresh(): Promise<void> {
    this.#started += 1
    const turn = this.#started
    const { domainStore } = this.#deps
    // Read the version first: a change in between then causes one extra read instead of being missed.
    const version = await domainStore.version()
    const [builtIn, all, preferences] = await Promise.all([
      domainStore.listBuiltIn(),
      domainStore.list(undefined),
      domainStore.preferences(),
    ])
    // A later refresh may have finished first; its data is newer.
    if (turn < this.#applied) return
    this.#applied = turn
    this.#version = version
    if (builtIn.length > 0) this.#builtIn = builtInTable(builtIn)
    // Built-in names win: a name that is configured after an organization added it must keep working.
    const branded = all.filter(({ isProven }) => isProven).map(byName)
    this.#byHost = new Map([...this.#builtIn.byFormerName, ...branded, ...this.#builtIn.byName])
    this.#pending = all.filter(({ isProven }) => !isProven).map(brandedDomain)
    this.#preferences = preferences
    this.#deps.onChange?.()
  }

  /** Resolves a Host header. Branded domains match on any port, built-in ones only on their own. */
  find(host: string): Domain | undefined {
    return this.#byHost.get(host) ?? this.#parseHost(host)
  }

  /** The configured built-in domains in their order; the first is the default. */
  get builtIn(): readonly [Domain, ...Domain[]] {
    return this.#builtIn.configured
  }

  /** The built-in domain for links without an explicit domain. */
  get default(): Domain {
    return this.#builtIn.configured[0]
  }

  /** These five delegate to `DomainNames`. */
  keyOf(name: string): string {
    return this.#builtIn.names.keyOf(this.#withoutAlias(name))
  }

  nameOf(key: string): string {
    return this.#builtIn.names.nameOf(key)
  }

  addressOf(domain: string, backHalf: string): string | undefined {
    return this.#builtIn.names.addressOf(this.#withoutAlias(domain), backHalf)
  }

  shown(address: string): ShownAddress {
    return this.#builtIn.names.shown(address)
  }

  urlOf(address: string, baseUrl: string): string {
    return this.#builtIn.names.urlOf(address, baseUrl)
  }

  /** The domain of this name or alias; case insensitive. A branded domain may have a port, as in its short URLs. */
  named(name: string): Domain | undefined {
    return this.find(this.#withoutAlias(name))
  }

  /** An unproven domain, visible only to the groups that are to use it. */
  pending(name: string, groupGuid: string): Domain | undefined {
    const wanted = withoutPort(name.toLowerCase())
    return this.#pending.find((domain) => domain.name === wanted && domain.groupGuids.includes(groupGuid))
  }

  /** See `DomainStore.prove`; a proof is in memory when this resolves. */
  async prove(organizationGuid: string, name: string, alone: boolean): ReturnType<DomainStore['prove']> {
    const outcome = await this.#deps.domainStore.prove(organizationGuid, name, alone)
    await this.refresh()
    return outcome
  }

  /** Whether a host is a short domain, so its URLs cannot be shortened. */
  includes(host: string): boolean {
    return this.find(host) !== undefined
  }

  isBranded(name: string): boolean {
    return this.#byHost.get(name)?.branded ?? false
  }

  /** Whether short links are served under this name (without port); certificates are issued for these names. */
  isServed(name: string): boolean {
    return this.#builtIn.hostNames.has(name) || this.isBranded(name)
  }

  /** Whether the name is a current or former built-in domain, an alias, or the host of the API. */
  isOwn(name: string): boolean {
    return this.#builtIn.hostNames.has(name) || this.#aliases.has(name) || name === this.#apiHost
  }

  /** The default domain for new links of a group. */
  preferredBy(groupGuid: string): Domain {
    const key = this.#preferences.get(groupGuid)
    const preferred = key === undefined ? undefined : this.#byHost.get(this.nameOf(key))
    // The group may have lost access to the domain since.
    if (preferred && mayUse(groupGuid, preferred)) return preferred
    return this.default
  }

  /** All branded domains that one of the groups may use, in alphabetical order. */
  brandedOf(groupGuids: readonly string[]): readonly string[] {
    const wanted = new Set(groupGuids)
    const found = [...this.#byHost.values()].filter((domain) => domain.groupGuids.some((guid) => wanted.has(guid)))
    return found.map((domain) => domain.name).sort()
  }

  /** Reading 10,000 domains from SQLite takes 100 ms, so read them only after a change. */
  async #refreshIfChanged(): Promise<void> {
    if ((await this.#deps.domainStore.version()) !== this.#version) await this.refresh()
  }

  /** A real domain wins over an alias of the same name. */
  #withoutAlias(name: string): string {
    if (this.#aliases.size === 0) return name
    const lower = name.toLowerCase()
    return this.#aliases.has(lower) && !this.#byHost.has(lower) ? this.default.name : name
  }

  #parseHost(host: string): Domain | undefined {
    const lower = host.toLowerCase()
    const found = this.#byHost.get(lower)
    if (found) return found
    const branded = this.#byHost.get(withoutPort(lower).replace(/\.$/, ''))
    return branded?.branded ? branded : undefined
  }
}

/** Returns the named domain, or the group's preferred one. `field` is the argument at fault. */
export function domainFor(
  deps: { readonly domains: Domains },
  groupGuid: string,
  input: string | undefined,
  field = 'domain',
): Domain {
  if (input === undefined) return deps.domains.preferredBy(groupGuid)
  const domain = deps.domains.named(input) ?? deps.domains.pending(input, groupGuid)
  if (!domain || !mayUse(groupGuid, domain)) {
    // One message for both cases, so it does not reveal the domains of others.
    const message = `The domain ${quoted(input)} is not a short domain of this service that the group may use.`
    throw new Refusal('INVALID_ARG_DOMAIN', message, { field })
  }
  return domain
}

function mayUse(groupGuid: string, domain: Domain): boolean {
  return !domain.branded || domain.groupGuids.includes(groupGuid)
}

declare const shownToPeople: unique symbol

/** An address with the domain's current name. Only `shown` creates one, so the compiler finds a missing translation. */
export type ShownAddress = string & { readonly [shownToPeople]: true }

/**
 * The only translation between displayed addresses, `<name>/<back-half>`, and stored ones, `<key>/<back-half>`. The key of
 * a built-in domain never changes while its name may; a branded domain's name is its key. Input goes through `addressOf`
 * or `keyOf`, output through `shown` or `nameOf`.
 */
export class DomainNames {
  readonly #keys = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor(builtIn: readonly BuiltInDomain[]) {
    for (const { key, formerNames } of builtIn) for (const name of formerNames) this.#keys.set(name, key)
    // Add current names last: they win over former names.
    for (const { key, name } of builtIn) {
      this.#keys.set(name, key)
      if (name !== key) this.#names.set(key, name)
    }
  }

  /** The stored key of a domain, given its current name or a former one. */
  keyOf(name: string): string {
    const lower = name.toLowerCase()
    return this.#keys.get(lower) ?? lower
  }

  nameOf(key: string): string {
    return this.#names.get(key) ?? key
  }

  /** The stored address; undefined for invalid syntax. Domains are case insensitive, back-halves are not. */
  addressOf(domain: string, backHalf: string): string | undefined {
    if (!(isBackHalf(backHalf) || isForeignBackHalf(backHalf)) || !domainPattern.test(domain)) return undefined
    return `${this.keyOf(this.#withoutBrandedPort(domain))}/${backHalf}`
  }

  shown(address: string): ShownAddress {
    if (this.#names.size === 0) return address as ShownAddress
    const slash = address.indexOf('/')
    return `${this.nameOf(address.slice(0, slash))}${address.slice(slash)}` as ShownAddress
  }

  /**
   * What visitors open, with the scheme of the base URL. The name of a built-in domain says its port; a branded domain is
   * reached on the port of the base URL, and with HTTPS on its standard port, where its certificate is.
   */
  urlOf(address: string, baseUrl: string): string {
    const shown = this.shown(address)
    if (baseUrl.startsWith('https:')) return `https://${shown}`
    const colon = baseUrl.lastIndexOf(':')
    const hasPort = colon > 'http:'.length && !baseUrl.endsWith(']')
    const slash = shown.indexOf('/')
    if (!hasPort || this.#keys.has(shown.slice(0, slash))) return `http://${shown}`
    return `http://${shown.slice(0, slash)}${baseUrl.slice(colon)}${shown.slice(slash)}`
  }

  /** Pasted short URLs of branded domains may have a port, their addresses never do. */
  #withoutBrandedPort(domain: string): string {
    const bare = withoutPort(domain)
    return [domain, bare].some((name) => this.#keys.has(name.toLowerCase())) ? domain : bare
  }
}

/** The syntax of the part before the slash. */
export const domainPattern = /^[A-Za-z0-9.:[\]_-]{1,255}$/

/** Lookup tables of the built-in domains. */
interface BuiltInTable {
  readonly names: DomainNames
  readonly configured: readonly [Domain, ...Domain[]]
  readonly byName: ReadonlyMap<string, Domain>
  readonly byFormerName: ReadonlyMap<string, Domain>
  /** All current and former names, without port. */
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
