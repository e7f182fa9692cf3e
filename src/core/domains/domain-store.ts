import type { BuiltInDomain } from './domain-names.js'

/**
 * Where short domains are kept. Branded ones: who owns them, which groups use them, what they answer besides links. Each
 * method is one atomic step; domain-store.contract.ts says what they promise. Names arrive here already checked.
 */
export interface DomainStore {
  /**
   * A name is proven for one organization only; until it is, several may wait for proof, and it counts for none but them.
   * Adding it as proven ends the waiting of all others. A name that was removed stays with its organization while links
   * live on it, so that nobody else can take these links over; adding it again brings them back. `built-in`: it is
   * or was a name of a built-in domain, which still answers to it.
   */
  add(domain: NewDomain): Promise<'added' | 'taken' | 'built-in' | 'no-organization' | 'no-group'>
  /**
   * The domain is the organization's from now on, and no longer anybody else's who waited for it. `taken` when it was
   * proven for another one meanwhile; `contested` when others wait, too, and `alone` says that the proof is good only
   * without them.
   */
  prove(organizationGuid: string, name: string, alone: boolean): Promise<'proven' | 'contested' | 'taken' | 'no-domain'>
  /**
   * Changes what is given, all or nothing; `no-group` when one of the groups is not the organization's. Here and below a
   * group that the domain is taken from no longer prefers it.
   */
  update(organizationGuid: string, name: string, change: DomainChange): Promise<'updated' | 'no-domain' | 'no-group'>
  /** Lets one more group use the domain; again changes nothing. */
  assign(name: string, groupGuid: string): Promise<'assigned' | 'no-domain' | 'no-group'>
  /** False when the group did not use the domain. */
  unassign(name: string, groupGuid: string): Promise<boolean>
  /** The domain and its assignments are gone, its links are kept. False when the organization has no such domain. */
  remove(organizationGuid: string, name: string, at: number): Promise<boolean>

  /** The proven one. */
  get(name: string): Promise<BrandedDomain | undefined>
  /** The organization's, proven or not. */
  own(organizationGuid: string, name: string): Promise<BrandedDomain | undefined>
  /** All of them, or those of one organization, by name; also those that are not proven. */
  list(organizationGuid: string | undefined): Promise<readonly BrandedDomain[]>
  /** The domain each group prefers for new links; groups without a preference are left out. */
  preferences(): Promise<ReadonlyMap<string, string>>
  /** Another number after every change of domains, assignments or preferences. */
  version(): Promise<number>
  /** The organization a group belongs to. */
  organizationOf(groupGuid: string): Promise<string | undefined>

  // Built-in domains: their keys, names and former names.

  /** All of them; none before the service was started for the first time. */
  listBuiltIn(): Promise<readonly BuiltInDomain[]>
  /**
   * Reads, decides and writes as one step: racing callers come one after the other, and each sees what the one before
   * has written. `decide` may be called again when the step has to be repeated.
   */
  changeBuiltIn<T>(decide: (state: BuiltInState) => Promise<BuiltInDecision<T>>): Promise<T>
}

export interface BrandedDomain {
  readonly name: string
  readonly organizationGuid: string
  /** DNS or the operator has shown that it is the organization's. Until then it counts for nobody else. */
  readonly isProven: boolean
  /** The groups that may make links on it, in alphabetical order. */
  readonly groupGuids: readonly string[]
  /** Where visitors of `/` are sent. */
  readonly rootUrl: string | undefined
  /** Where visitors of links that do not exist are sent. */
  readonly notFoundUrl: string | undefined
  readonly createdAt: number
  readonly createdBy: string
}

export interface NewDomain extends Omit<BrandedDomain, 'createdAt' | 'isProven'> {
  /** True unless given. */
  readonly isProven?: boolean | undefined
  readonly at: number
}

/** Fields that are left out stay as they are; null takes a URL away. */
export interface DomainChange {
  readonly groupGuids?: readonly string[] | undefined
  readonly rootUrl?: string | null | undefined
  readonly notFoundUrl?: string | null | undefined
}

export interface BuiltInState {
  readonly domains: readonly BuiltInDomain[]
  /** Whether anything is stored under this key. */
  hasLinks(key: string): Promise<boolean>
  /** The organization that has a branded domain of this name, or had one whose links are kept. */
  ownerOf(name: string): Promise<string | undefined>
  /** The keys of links that are on no branded domain, present or removed; the one of the newest link first. Reads all links. */
  keysOfLinks(): Promise<readonly string[]>
}

interface BuiltInDecision<T> {
  /** All domains as they are from now on; undefined changes nothing. */
  readonly domains?: readonly BuiltInDomain[] | undefined
  readonly answer: T
}
