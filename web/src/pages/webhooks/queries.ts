import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'

/** Only administrators of the organization may ask. Failures appear here within a minute. */
/** With the words for links that they can have. */
function listQuery(organization_guid: string) {
  return queryOptions({
    queryKey: ['organizations', organization_guid, 'webhooks'],
    queryFn: async () => {
      const params = { path: { organization_guid } }
      return ask(api.GET('/v4/organizations/{organization_guid}/webhooks', { params }))
    },
    refetchInterval: 60_000,
  })
}

export function webhooksQuery(organization: string) {
  return queryOptions({ ...listQuery(organization), select: ({ webhooks }) => webhooks })
}

export function linkWordsQuery(organization: string) {
  return queryOptions({ ...listQuery(organization), select: ({ link_words }) => link_words })
}

export function webhookQuery(webhook_guid: string) {
  return queryOptions({
    queryKey: ['webhooks', webhook_guid],
    queryFn: () => ask(api.GET('/v4/webhooks/{webhook_guid}', { params: { path: { webhook_guid } } })),
    refetchInterval: 10_000,
  })
}

/** The log grows while one watches it. */
const logEvery = 5_000

export function deliveriesQuery(webhook_guid: string, failed: boolean) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', webhook_guid, 'deliveries', { failed }],
    queryFn: ({ pageParam }) => {
      const query = { size: 25, ...(failed && { failed }), ...(pageParam && { search_after: pageParam }) }
      const params = { path: { webhook_guid }, query }
      return ask(api.GET('/v4/webhooks/{webhook_guid}/deliveries', { params }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    refetchInterval: logEvery,
  })
}

/** Deliveries do not change. */
export function deliveryQuery(webhook_guid: string, delivery_id: string) {
  return queryOptions({
    queryKey: ['webhooks', webhook_guid, 'deliveries', delivery_id],
    queryFn: () => {
      const params = { path: { webhook_guid, delivery_id } }
      return ask(api.GET('/v4/webhooks/{webhook_guid}/deliveries/{delivery_id}', { params }))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The last failure says why a webhook fails or was turned off. */
export function lastFailureQuery(webhook_guid: string) {
  return queryOptions({
    queryKey: ['webhooks', webhook_guid, 'deliveries', 'last-failure'],
    queryFn: async () => {
      const params = { path: { webhook_guid }, query: { failed: true, size: 1 } }
      return (await ask(api.GET('/v4/webhooks/{webhook_guid}/deliveries', { params }))).deliveries[0] ?? null
    },
  })
}

/** Events after their last try: as many as one page has. */
export const shownDeadLetters = 100

export function deadLettersQuery(webhook_guid: string) {
  return queryOptions({
    queryKey: ['webhooks', webhook_guid, 'dead_letters'],
    queryFn: async () => {
      const params = { path: { webhook_guid }, query: { size: shownDeadLetters } }
      return (await ask(api.GET('/v4/webhooks/{webhook_guid}/dead_letters', { params }))).dead_letters
    },
    refetchInterval: logEvery,
  })
}
