/**
 * A link that was made, as consumers of the stream read it: the short keys that it shares with a click, and more under
 * longer names. docs/api/stream.md#link-messages describes it. What is unknown is left out.
 */
import type { DomainNames } from '../domains/domain-names.js'
import type { DescribedLink } from './stream-store.js'

export function linkMessage(link: DescribedLink, organizationGuid: string | undefined, names: DomainNames): Buffer {
  const { id, createdAt, createdBy, longUrl, keyword, clientId, groupGuid } = link
  const seconds = Math.floor(createdAt / 1000)
  const hash = backHalf(id)
  return Buffer.from(
    JSON.stringify({
      // Our choice, as for clicks: without a global hash the link's own stands for it.
      g: link.globalHash === undefined ? hash : backHalf(link.globalHash),
      h: hash,
      l: createdBy,
      hh: names.nameOf(id.slice(0, id.indexOf('/'))),
      kw: keyword === undefined ? undefined : backHalf(keyword),
      u: longUrl,
      t: seconds,
      hc: seconds,
      // A stored address belongs to one link for ever, whatever its domain is called, so that it can be made only once.
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
