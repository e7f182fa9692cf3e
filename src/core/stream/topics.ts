/** Topic names (docs/api/stream.md#topics). Consumers have them in their configuration, so they must never change. */

/** All clicks of the service, for its administrators. */
export const serviceClicks = 'clicks'

/** Clicks on links of one organization. */
export function organizationClicks(organizationGuid: string): string {
  return `${serviceClicks}.${organizationGuid}`
}

/** All new links of the service, for its administrators. */
export const serviceLinks = 'links'

/** New links of one organization. */
export function organizationLinks(organizationGuid: string): string {
  return `${serviceLinks}.${organizationGuid}`
}

export function isOfLinks(topic: string): boolean {
  return topic === serviceLinks || topic.startsWith(`${serviceLinks}.`)
}
