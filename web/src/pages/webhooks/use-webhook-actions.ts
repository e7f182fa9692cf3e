/** What an administrator can do with a webhook. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, ask, withEtag } from '../../api/client.js'
import type { Webhook } from '../../api/types.js'
import { readModified, useCarefulDelete } from '../../parts/careful-delete.js'
import { showDone, showError, showProblem } from '../../parts/toasts.js'
import { webhookTexts as words } from '../../texts/webhooks.js'

export function useWebhookActions({ guid, organization_guid, name, modified }: Webhook) {
  const client = useQueryClient()
  const params = { path: { webhook_guid: guid } }
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['webhooks', guid] }),
      client.invalidateQueries({ queryKey: ['organizations', organization_guid, 'webhooks'] }),
    ])
  // The log shows a failed test too.
  const settled = { onError: showError, onSettled: refresh }
  const test = useMutation({
    mutationFn: () => ask(api.POST('/v4/webhooks/{webhook_guid}/verify', { params })),
    onSuccess: () => showDone(words.testAccepted),
    ...settled,
    onError: (error) => (isRefusedTest(error) ? showProblem(words.testRefused) : showError(error)),
  })
  const setActive = useMutation({
    mutationFn: (is_active: boolean) => ask(api.PATCH('/v4/webhooks/{webhook_guid}', { params, body: { is_active } })),
    onSuccess: ({ is_active }) => showDone(is_active ? words.activated : words.paused),
    ...settled,
  })
  const rotate = useMutation({
    mutationFn: () => ask(api.POST('/v4/webhooks/{webhook_guid}/rotate_secret', { params })),
    ...settled,
  })
  const remove = useCarefulDelete({
    shown: modified,
    read: () => readModified(api.GET('/v4/webhooks/{webhook_guid}', { params, headers: withEtag })),
    remove: (headers) => ask(api.DELETE('/v4/webhooks/{webhook_guid}', { params, headers })),
    onSuccess: async () => {
      showDone(words.deleted(name))
      client.removeQueries({ queryKey: ['webhooks', guid] })
      await client.invalidateQueries({ queryKey: ['organizations', organization_guid, 'webhooks'] })
    },
  })
  return { test, setActive, rotate, remove, refresh }
}

/** The service did its part, but the receiver did not accept the test. */
function isRefusedTest(error: Error): boolean {
  return error instanceof ApiError && error.code === 'BAD_REQUEST'
}
