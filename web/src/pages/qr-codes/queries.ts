import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'

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
