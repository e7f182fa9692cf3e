import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { QrCode } from '../../api/types.js'
import { showError, showUndo } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import type { CodesSearch } from './search.js'

/** Newest first. */
export function codesQuery(group_guid: string, { q, archived }: Pick<CodesSearch, 'q' | 'archived'>) {
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'qr-codes', 'list', { q, archived }],
    queryFn: ({ pageParam }) => {
      const query = {
        size: 50,
        ...(q && { query: q }),
        ...(archived && { archived }),
        ...(pageParam && { search_after: pageParam }),
      }
      return ask(api.GET('/v4/groups/{group_guid}/qr-codes', { params: { path: { group_guid }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
}

/** Archives a code or restores it, and offers to take it back. */
export function useArchiveCode({ group_guid, qrcode_id }: QrCode) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (archive: boolean) => {
      const body = { action: 'archive' as const, qr_code_ids: [qrcode_id], archive }
      return ask(api.PATCH('/v4/groups/{group_guid}/qr-codes', { params: { path: { group_guid } }, body }))
    },
    onSuccess: async (_, archived) => {
      showUndo(archived ? texts.qrCodes.archived : texts.qrCodes.restored, () => change.mutate(!archived))
      await client.invalidateQueries({ queryKey: ['groups', group_guid, 'qr-codes'] })
    },
    onError: showError,
  })
  return change
}

/** With its whole design. */
export function codeQuery(group: string, qrcode_id: string) {
  return queryOptions({
    queryKey: ['groups', group, 'qr-codes', qrcode_id],
    queryFn: () => ask(api.GET('/v4/qr-codes/{qrcode_id}', { params: { path: { qrcode_id } } })),
  })
}

interface Pictured {
  readonly image_url: string
  readonly modified: string
}

/** On the host of the dashboard: its policy allows no other. A changed design is another address, so no cache is in the way. */
export function picturePath({ image_url, modified }: Pictured): string {
  return `${new URL(image_url).pathname}?v=${encodeURIComponent(modified)}`
}
