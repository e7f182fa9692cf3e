/**
 * The JSON message of a new link (docs/api/stream.md#link-messages): the short keys it shares with click messages, and
 * longer keys for additional fields. Unknown values are left out.
 */
import type { DomainNames } from '../domains/domain-names.js'
import type { DescribedLink } from './stream-store.js'

export function linkMessage(link: DescribedLink, organizationGuid: string | undefined, names: DomainNames): Buffer {
  const { id, createdAt, createdBy, longUrl, keyword, clientId, groupGuid } = link
  const seconds = Math.floor(createdAt / 1000)
  const hash = backHalf(id)
  return Buffer.from(
    JSON.stringify({
      // Without a global hash, use the link's own.
      g: link.globalHash === undefined ? hash : backHalf(link.globalHash),
      h: hash,
      l: createdBy,
      hh: names.nameOf(id.slice(0, id.indexOf('/'))),
      kw: keyword === undefined ? undefined : backHalf(keyword),
      u: longUrl,
      t: seconds,
      hc: seconds,
      // A stored address is never reused for another link, so this id is unique.
      event_id: `link/${id}`,
      at: new Date(createdAt).toISOString(),
      kind: 'link',
      link: names.shown(id),
      group_guid: groupGuid,
      organization_guid: organizationGuid,
      client_id: clientId,
    }),
  )
}

function backHalf(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}
