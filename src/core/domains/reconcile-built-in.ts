/**
 * Updates the built-in domains when the service starts with other names, and renames them. A renamed domain keeps its
 * key, and with it its links and metrics. See docs/operating.md, "Changing the address".
 */

import type { BuiltInDomain, BuiltInState, DomainStore } from './domain-store.js'

export type Reconciled =
  | {
      readonly outcome: 'reconciled'
      readonly renamed: readonly NameChange[]
      /** Names of domains that have links and are not configured; they are served under these names only. */
      readonly notConfigured: readonly string[]
    }
  /** Formerly configured domains with links are not configured any more: their links would stop working. */
  | { readonly outcome: 'orphans'; readonly names: readonly string[] }
  /** The new name is already a branded domain. */
  | ({ readonly outcome: 'branded'; readonly organizationGuid: string } & NameChange)

export type ReconcileConflict = Exclude<Reconciled, { readonly outcome: 'reconciled' }>

export interface NameChange {
  readonly from: string
  readonly to: string
}

/** Names in lower case, the default first. Writes nothing unless the outcome is `reconciled`. */
export function reconcileBuiltIn(
  store: Pick<DomainStore, 'changeBuiltIn'>,
  configured: readonly [string, ...string[]],
): Promise<Reconciled> {
  return store.changeBuiltIn<Reconciled>(async (state) => {
    const known = state.domains.length > 0 ? state.domains : await discoverDomains(state, configured)
    const owners = new Map(configured.map((name) => [name, ownerAmong(known, name)]))

    // Renaming the default needs no command: a new first name is the same domain under a new name.
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
    const domains = [...configuredDomains(known, owners), ...spare]
    const renamed = domains.flatMap(({ key, name: to }) => {
      const from = known.find((domain) => domain.key === key)?.name
      return from === undefined || from === to ? [] : [{ from, to }]
    })
    return { domains, answer: { outcome: 'reconciled', renamed, notConfigured: spare.map(({ name }) => name) } }
  })
}

export type Renamed =
  | ({ readonly outcome: 'renamed' } & NameChange)
  | { readonly outcome: 'unknown'; readonly names: readonly string[] }
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'branded' }

/** `to` may be a former name of another domain, which loses it. */
export function renameBuiltIn(store: Pick<DomainStore, 'changeBuiltIn'>, { from, to }: NameChange): Promise<Renamed> {
  return store.changeBuiltIn<Renamed>(async ({ domains, ownerOf }) => {
    const domain = domains.find(({ name }) => name === from)
    if (!domain) return { answer: { outcome: 'unknown', names: domains.map(({ name }) => name) } }
    if (from !== to && domains.some(({ name }) => name === to)) return { answer: { outcome: 'taken' } }
    if ((await ownerOf(to)) !== undefined) return { answer: { outcome: 'branded' } }
    const next = 1 + Math.max(...domains.map(({ position }) => position ?? 0))
    const configured = domains.map((each) => (each === domain ? { ...each, position: each.position ?? next } : each))
    return { domains: withName(configured, domain.key, to), answer: { outcome: 'renamed', from, to } }
  })
}

/** For the operator: the problem and its solutions. */
export function explainConflict(conflict: ReconcileConflict, configured: readonly string[]): string {
  if (conflict.outcome === 'branded') {
    const { from, to, organizationGuid } = conflict
    return (
      `The built-in domain ${from} cannot be renamed to ${to}, which is a branded domain of organization ${organizationGuid}. ` +
      `Keep ${from} in --domains, or choose another name.`
    )
  }
  const { names } = conflict
  const [one = ''] = names
  return (
    `There are links on ${names.join(', ')}, which --domains no longer lists: they would stop working. ` +
    `Add the name again (--domains ${[...configured, ...names].join(',')}), ` +
    `or rename the domain first (bin/shortlink domain rename ${one} NEW) and add NEW to --domains.`
  )
}

/** The domain with this current name, else the one with this former name. */
function ownerAmong(domains: readonly BuiltInDomain[], name: string): BuiltInDomain | undefined {
  return domains.find((domain) => domain.name === name) ?? domains.find(({ formerNames }) => formerNames.includes(name))
}

/**
 * At the first start with this table. Earlier versions stored links under the name of the time and lost them when it
 * changed; each name found among the links becomes a domain again.
 */
async function discoverDomains(state: BuiltInState, configured: readonly string[]): Promise<readonly BuiltInDomain[]> {
  const keys = await state.keysOfLinks()
  const [first = ''] = configured
  const default_ = keys.includes(first) ? first : keys.find((key) => !configured.includes(key))
  return keys.map((key) => ({ key, name: key, formerNames: [], position: key === default_ ? 0 : undefined }))
}

/** Finds domains with links that are not configured: `spare` ones stay, `orphans` must not be lost. Drops empty domains. */
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
  // Links under two names come from a rename that an earlier version did not follow. Switching between these two names
  // must not prevent a start.
  const switchesNames = next !== undefined && next.position === undefined
  for (const domain of known) {
    if (configured.has(domain) || !(await state.hasLinks(domain.key))) continue
    if (domain.position === undefined || (domain.position === 0 && switchesNames)) {
      spare.push({ ...domain, position: undefined })
    } else {
      orphans.push(domain)
    }
  }
  return { spare, orphans }
}

/** The configured domains. A second name of the same domain becomes a former name and keeps working. */
function configuredDomains(known: readonly BuiltInDomain[], owners: Owners): readonly BuiltInDomain[] {
  const keys = known.map(({ key }) => key)
  let domains: readonly BuiltInDomain[] = []
  for (const [position, [name, owner]] of [...owners].entries()) {
    if (owner && domains.some(({ key }) => key === owner.key)) continue
    const domain = owner ?? { key: freeKey(name, keys), name, formerNames: [], position }
    keys.push(domain.key)
    domains = withName([...domains, { ...domain, position }], domain.key, name)
  }
  return domains
}

type Owners = ReadonlyMap<string, BuiltInDomain | undefined>

/** The name itself, unless a domain that once had it still stores links under it. No host name contains a tilde. */
function freeKey(name: string, keys: readonly string[]): string {
  if (!keys.includes(name)) return name
  for (let count = 2; ; count++) if (!keys.includes(`${name}~${count}`)) return `${name}~${count}`
}

/** Gives the domain with this key the name, and removes the name from all others. */
function withName(domains: readonly BuiltInDomain[], key: string, name: string): readonly BuiltInDomain[] {
  return domains.map((domain) => {
    const others = domain.formerNames.filter((former) => former !== name)
    if (domain.key !== key || domain.name === name) return { ...domain, formerNames: others }
    return { ...domain, name, formerNames: [domain.name, ...others] }
  })
}
