/** The names of topics, as docs/api/stream.md#topics promises them. Consumers have them in their configuration: they never change. */

/** Every click of the service, for those who administer it. */
export const serviceClicks = 'clicks'

/** The clicks on links of one organization. */
export function organizationClicks(organizationGuid: string): string {
  return `${serviceClicks}.${organizationGuid}`
}

/** Every link that is made, for those who administer the service. */
export const serviceLinks = 'links'

/** The links that one organization makes. */
export function organizationLinks(organizationGuid: string): string {
  return `${serviceLinks}.${organizationGuid}`
}

export function isOfLinks(topic: string): boolean {
  return topic === serviceLinks || topic.startsWith(`${serviceLinks}.`)
}
