/** What decides how the page of a link looks. */
import type { QueryClient } from '@tanstack/react-query'
import { liveQuery, totalsQuery } from '../analytics/queries.js'
import type { Subject } from '../analytics/reports.js'
import { plainCodeQuery, sharedUrl } from '../create/queries.js'
import { linkQuery } from './queries.js'

/** A report of many clicks takes its time: the page shows without it. */
const waitAtMost = 400

interface Place {
  readonly group: string
  readonly domain: string
  readonly hash: string
}

/** Reads it before the page shows, which then shows at once as it stays. Failures are shown by the page. */
export function loadLink(client: QueryClient, place: Place): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(resolve, waitAtMost))
  return Promise.race([late, readLink(client, place).catch(() => undefined)])
}

/** All clicks of a link. */
export function everQuery({ group, domain, hash }: Place) {
  return totalsQuery({ group, link: { domain, hash } }, { range: 'all', compare: 'off' })
}

async function readLink(client: QueryClient, { group, domain, hash }: Place): Promise<void> {
  const [link, ever] = await Promise.all([
    client.ensureQueryData(linkQuery(group, domain, hash)),
    client.ensureQueryData(everQuery({ group, domain, hash })),
  ])
  if (ever.now.engagements > 0) return
  void client.prefetchQuery(plainCodeQuery(group, sharedUrl(link)))
  const subject: Subject = { group, link: { domain, hash } }
  client.setQueryData(liveQuery(subject, {}).queryKey, (known) => known ?? 0)
}
