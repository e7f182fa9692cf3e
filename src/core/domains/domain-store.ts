/**
 * Stores short domains. Branded ones: owner, groups, root URL and not-found URL. Each method is one atomic step;
 * domain-store.contract.ts defines the behaviour. Names are validated before they get here.
 */
export interface DomainStore {
  /**
   * Several organizations may claim a name until one of them proves it; an unproven domain exists for its organization
   * only. Adding it as proven removes all other claims. A removed name stays with its organization while it has links, so
   * nobody else can take them over; adding it again restores them. `built-in`: it is or was the name of a built-in
   * domain.
   */
  add(domain: NewDomain): Promise<'added' | 'taken' | 'built-in' | 'no-organization' | 'no-group'>
  /**
   * Marks the domain as proven and removes all other claims. `taken` when another organization proved it before;
   * `contested` when `alone` is set and there are other claims.
   */
  prove(organizationGuid: string, name: string, alone: boolean): Promise<'proven' | 'contested' | 'taken' | 'no-domain'>
  /**
   * Changes the given fields, all or nothing; `no-group` when a group does not belong to the organization. A group that
   * loses the domain, here and below, also loses its preference for it.
   */
  update(organizationGuid: string, name: string, change: DomainChange): Promise<'updated' | 'no-domain' | 'no-group'>
  /** Allows one more group to use the domain; idempotent. */
  assign(name: string, groupGuid: string): Promise<'assigned' | 'no-domain' | 'no-group'>
  /** False when the group did not use the domain. */
  unassign(name: string, groupGuid: string): Promise<boolean>
  /** Removes the domain and its assignments, keeps its links. False when the organization has no such domain. */
  remove(organizationGuid: string, name: string, at: number): Promise<boolean>

  /** The proven domain of this name. */
  get(name: string): Promise<BrandedDomain | undefined>
  /** The organization's domain of this name, proven or not. */
  own(organizationGuid: string, name: string): Promise<BrandedDomain | undefined>
  /** All domains, or those of one organization, by name; including unproven ones. */
  list(organizationGuid: string | undefined): Promise<readonly BrandedDomain[]>
  /** The preferred domain of each group; groups without a preference are left out. */
  preferences(): Promise<ReadonlyMap<string, string>>
  /** Changes with every change of domains, assignments or preferences. */
  version(): Promise<number>
  /** The organization of a group. */
  organizationOf(groupGuid: string): Promise<string | undefined>

  // Built-in domains: keys, names and former names.

  /** All built-in domains; empty before the first start of the service. */
  listBuiltIn(): Promise<readonly BuiltInDomain[]>
  /**
   * Reads, decides and writes in one transaction, so concurrent changes run one after the other. `decide` may be called
   * again when the transaction is retried.
   */
  changeBuiltIn<T>(decide: (state: BuiltInState) => Promise<BuiltInDecision<T>>): Promise<T>
}

export interface BrandedDomain {
  readonly name: string
  readonly organizationGuid: string
  /** Ownership was confirmed by DNS or by the operator. Until then the domain exists for its organization only. */
  readonly isProven: boolean
  /** The groups that may create links on it, in alphabetical order. */
  readonly groupGuids: readonly string[]
  /** Redirect target of `/`. */
  readonly rootUrl: string | undefined
  /** Redirect target of links that do not exist. */
  readonly notFoundUrl: string | undefined
  readonly createdAt: number
  readonly createdBy: string
}

export interface NewDomain extends Omit<BrandedDomain, 'createdAt' | 'isProven'> {
  /** Default: true. */
  readonly isProven?: boolean | undefined
  readonly at: number
}

/** Omitted fields stay unchanged; null removes a URL. */
export interface DomainChange {
  readonly groupGuids?: readonly string[] | undefined
  readonly rootUrl?: string | null | undefined
  readonly notFoundUrl?: string | null | undefined
}

export interface BuiltInState {
  readonly domains: readonly BuiltInDomain[]
  /** Whether links use this key. */
  hasLinks(key: string): Promise<boolean>
  /** The organization with a branded domain of this name, or with links on a removed one. */
  ownerOf(name: string): Promise<string | undefined>
  /** Domain keys of all links that are on no branded domain, present or removed; the newest link's first. Scans all links. */
  keysOfLinks(): Promise<readonly string[]>
}

interface BuiltInDecision<T> {
  /** The new list of domains; undefined changes nothing. */
  readonly domains?: readonly BuiltInDomain[] | undefined
  readonly answer: T
}

/** One of the service's own short domains. */
export interface BuiltInDomain {
  /** The first part of stored addresses. It never changes. */
  readonly key: string
  /** Lower case, with a port unless it is the default port. Unique. */
  readonly name: string
  /** Former names that no other domain uses now: they still work. */
  readonly formerNames: readonly string[]
  /** Index in the configuration; 0 is the default domain. Undefined: not configured any more. */
  readonly position: number | undefined
}
