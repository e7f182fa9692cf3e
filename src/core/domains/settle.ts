/**
 * What becomes of the built-in domains when the service starts with certain names, and when one is renamed. A domain
 * keeps its key, and with it its links and their statistics; only the name changes. docs/operating.md, "Changing the address".
 */

import type { BuiltInDomain } from './domain-names.js'
import type { BuiltInState, DomainStore } from './domain-store.js'

export type Settled =
  | {
      readonly outcome: 'settled'
      readonly renamed: readonly NameChange[]
      /** Names of domains that have links and are not configured; they are served under these names only. */
      readonly notConfigured: readonly string[]
    }
  /** These have links, were configured the last time and are no more: their links would be lost. */
  | { readonly outcome: 'orphans'; readonly names: readonly string[] }
  /** The new name of a domain is a branded domain. */
  | ({ readonly outcome: 'branded'; readonly organizationGuid: string } & NameChange)

export type NotSettled = Exclude<Settled, { readonly outcome: 'settled' }>

export interface NameChange {
  readonly from: string
  readonly to: string
}

/** Names in lower case, the default first. Nothing is written unless the outcome is `settled`. */
export function settleBuiltIn(
  store: Pick<DomainStore, 'changeBuiltIn'>,
  configured: readonly [string, ...string[]],
): Promise<Settled> {
  return store.changeBuiltIn<Settled>(async (state) => {
    const known = state.domains.length > 0 ? state.domains : await discovered(state, configured)
    const owners = new Map(configured.map((name) => [name, ownerAmong(known, name)]))

    // The default is the one domain that needs no telling: whatever comes first now is the same domain by a new name.
    const [first] = configured
    const before = known.find(({ position }) => position === 0)
    if (before && ![...owners.values()].includes(before) && owners.get(first) === undefined) {
      const organizationGuid = await state.ownerOf(first)
      if (organizationGuid !== undefined) {
        return { answer: { outcome: 'branded', organizationGuid, from: before.name, to: first } }
      }
      owners.set(first, before)
    }

    const { spare, orphans } = await notConfiguredAmong(known, owners, first, state)
    if (orphans.length > 0) return { answer: { outcome: 'orphans', names: orphans.map(({ name }) => name) } }
    const domains = [...placed(known, owners), ...spare]
    const renamed = domains.flatMap(({ key, name: to }) => {
      const from = known.find((domain) => domain.key === key)?.name
      return from === undefined || from === to ? [] : [{ from, to }]
    })
    return { domains, answer: { outcome: 'settled', renamed, notConfigured: spare.map(({ name }) => name) } }
  })
}

export type Renamed =
  | ({ readonly outcome: 'renamed' } & NameChange)
  | { readonly outcome: 'unknown'; readonly names: readonly string[] }
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'branded' }

/** `to` may be a name that another domain had before: it is this one's from now on. */
export function renameBuiltIn(store: Pick<DomainStore, 'changeBuiltIn'>, { from, to }: NameChange): Promise<Renamed> {
  return store.changeBuiltIn<Renamed>(async ({ domains, ownerOf }) => {
    const domain = domains.find(({ name }) => name === from)
    if (!domain) return { answer: { outcome: 'unknown', names: domains.map(({ name }) => name) } }
    if (from !== to && domains.some(({ name }) => name === to)) return { answer: { outcome: 'taken' } }
    if ((await ownerOf(to)) !== undefined) return { answer: { outcome: 'branded' } }
    const next = 1 + Math.max(...domains.map(({ position }) => position ?? 0))
    const configured = domains.map((each) => (each === domain ? { ...each, position: each.position ?? next } : each))
    return { domains: named(configured, domain.key, to), answer: { outcome: 'renamed', from, to } }
  })
}

/** For the operator: what is wrong and the ways out. */
export function whyNotSettled(settled: NotSettled, configured: readonly string[]): string {
  if (settled.outcome === 'branded') {
    const { from, to, organizationGuid } = settled
    return (
      `The built-in domain ${from} cannot be renamed to ${to}, which is a branded domain of organization ${organizationGuid}. ` +
      `Keep ${from} in --domains, or choose another name.`
    )
  }
  const { names } = settled
  const [one = ''] = names
  return (
    `There are links on ${names.join(', ')}, which --domains no longer names: they would stop working. ` +
    `Put the name back (--domains ${[...configured, ...names].join(',')}), ` +
    `or give the links another one first (bin/shortlink domain rename ${one} NEW) and put that into --domains.`
  )
}

/** A name is its current owner's, else that of the domain that had it last. */
function ownerAmong(domains: readonly BuiltInDomain[], name: string): BuiltInDomain | undefined {
  return domains.find((domain) => domain.name === name) ?? domains.find(({ formerNames }) => formerNames.includes(name))
}

/**
 * At the first start with this table. Earlier versions kept links under the name of their time and lost sight of them
 * when it changed: names that are found become domains of their own again.
 */
async function discovered(state: BuiltInState, configured: readonly string[]): Promise<readonly BuiltInDomain[]> {
  const keys = await state.keysOfLinks()
  const [first = ''] = configured
  const default_ = keys.includes(first) ? first : keys.find((key) => !configured.includes(key))
  return keys.map((key) => ({ key, name: key, formerNames: [], position: key === default_ ? 0 : undefined }))
}

/** Which domains that are not configured stay as they are, and which must not be lost. Those without links are forgotten. */
async function notConfiguredAmong(
  known: readonly BuiltInDomain[],
  owners: Owners,
  first: string,
  state: BuiltInState,
): Promise<{ readonly spare: readonly BuiltInDomain[]; readonly orphans: readonly BuiltInDomain[] }> {
  const spare: BuiltInDomain[] = []
  const orphans: BuiltInDomain[] = []
  const configured = new Set(owners.values())
  const next = owners.get(first)
  // Links under two names are left from a change that an earlier version did not follow. Whoever goes back and forth
  // between the two must not be locked out.
  const changesPlaces = next !== undefined && next.position === undefined
  for (const domain of known) {
    if (configured.has(domain) || !(await state.hasLinks(domain.key))) continue
    if (domain.position === undefined || (domain.position === 0 && changesPlaces)) {
      spare.push({ ...domain, position: undefined })
    } else {
      orphans.push(domain)
    }
  }
  return { spare, orphans }
}

/** The configured ones. A second name of the same domain is a former one: it goes on leading to the same links. */
function placed(known: readonly BuiltInDomain[], owners: Owners): readonly BuiltInDomain[] {
  const keys = known.map(({ key }) => key)
  let domains: readonly BuiltInDomain[] = []
  for (const [position, [name, owner]] of [...owners].entries()) {
    if (owner && domains.some(({ key }) => key === owner.key)) continue
    const domain = owner ?? { key: freeKey(name, keys), name, formerNames: [], position }
    keys.push(domain.key)
    domains = named([...domains, { ...domain, position }], domain.key, name)
  }
  return domains
}

type Owners = ReadonlyMap<string, BuiltInDomain | undefined>

/** The name itself, unless a domain that had it before keeps its links under it. No host name has a tilde. */
function freeKey(name: string, keys: readonly string[]): string {
  if (!keys.includes(name)) return name
  for (let count = 2; ; count++) if (!keys.includes(`${name}~${count}`)) return `${name}~${count}`
}

/** The domain of this key has the name from now on, and nobody else. */
function named(domains: readonly BuiltInDomain[], key: string, name: string): readonly BuiltInDomain[] {
  return domains.map((domain) => {
    const others = domain.formerNames.filter((former) => former !== name)
    if (domain.key !== key || domain.name === name) return { ...domain, formerNames: others }
    return { ...domain, name, formerNames: [domain.name, ...others] }
  })
}
