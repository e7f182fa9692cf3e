/**
 * Where branded short domains are kept: who owns them, which groups use them, what they answer besides links. Each
 * method is one atomic step; domain-store.contract.ts says what they promise. Names arrive here already checked.
 */
export interface DomainStore {
  /**
   * Names are unique over the service. A name that was removed stays with its organization while links live on it,
   * so that nobody else can take these links over; adding it again brings them back. `built-in`: it is or was a name of
   * a built-in domain, which still answers to it.
   */
  add(domain: NewDomain): Promise<'added' | 'taken' | 'built-in' | 'no-organization' | 'no-group'>
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

  get(name: string): Promise<BrandedDomain | undefined>
  /** All of them, or those of one organization, by name. */
  list(organizationGuid: string | undefined): Promise<readonly BrandedDomain[]>
  /** The domain each group prefers for new links; groups without a preference are left out. */
  preferences(): Promise<ReadonlyMap<string, string>>
  /** Another number after every change of domains, assignments or preferences. */
  version(): Promise<number>
  /** The organization a group belongs to. */
  organizationOf(groupGuid: string): Promise<string | undefined>
}

export interface BrandedDomain {
  readonly name: string
  readonly organizationGuid: string
  /** The groups that may make links on it, in alphabetical order. */
  readonly groupGuids: readonly string[]
  /** Where visitors of `/` are sent. */
  readonly rootUrl: string | undefined
  /** Where visitors of links that do not exist are sent. */
  readonly notFoundUrl: string | undefined
  readonly createdAt: number
  readonly createdBy: string
}

export interface NewDomain extends Omit<BrandedDomain, 'createdAt'> {
  readonly at: number
}

/** Fields that are left out stay as they are; null takes a URL away. */
export interface DomainChange {
  readonly groupGuids?: readonly string[] | undefined
  readonly rootUrl?: string | null | undefined
  readonly notFoundUrl?: string | null | undefined
}
