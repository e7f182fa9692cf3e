/** The names of topics, as docs/stream.md promises them. Consumers have them in their configuration: they never change. */

/** Every click of the service, for those who administer it. */
export const serviceClicks = 'clicks'

/** The clicks on links of one organization. */
export function organizationClicks(organizationGuid: string): string {
  return `${serviceClicks}.${organizationGuid}`
}

/** Every link that was made, for those who administer the service. */
export const serviceLinks = 'links'

/** The links that were made in one organization. */
export function organizationLinks(organizationGuid: string): string {
  return `${serviceLinks}.${organizationGuid}`
}

/** All topics about one organization. */
export function organizationTopics(organizationGuid: string): readonly string[] {
  return [organizationClicks(organizationGuid), organizationLinks(organizationGuid)]
}

export const serviceTopics: readonly string[] = [serviceClicks, serviceLinks]
