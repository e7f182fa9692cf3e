/** A subdivision of an organization: it owns links, campaigns and channels, and may use some of its branded domains. */
export interface Group {
  readonly guid: string
  readonly organizationGuid: string
  readonly name: string
  /** False for one that was removed: only its links go on. */
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Branded domains assigned to the group, by name. */
  readonly domains: readonly string[]
  /** The domain its links are made on unless a caller names one; undefined for the service's default. */
  readonly domainPreference: string | undefined
}

/** The account level: groups, users and branded domains belong to one. */
export interface Organization {
  readonly guid: string
  readonly name: string
  readonly isActive: boolean
  readonly createdAt: number
  readonly modifiedAt: number
  /** Its branded domains, by name. */
  readonly domains: readonly string[]
}
