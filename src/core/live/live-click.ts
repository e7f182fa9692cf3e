/** A click as live readers see it (docs/api/events.md), made of its message in the stream. */

export interface LiveClick {
  /** The short link, `<domain>/<hash>`. */
  readonly link: string
  readonly groupGuid: string
  /** The JSON that readers get. */
  readonly data: string
}

/** Undefined for traffic that reports do not count, and for clicks that belong to no group. */
export function liveClick(message: Buffer): LiveClick | undefined {
  const { nature, link, group_guid: groupGuid, ...click } = JSON.parse(message.toString()) as StreamClick
  if (nature !== 'human' || link === undefined || groupGuid === undefined) return undefined
  const data = JSON.stringify({
    event_id: click.event_id,
    clicked_at: click.at,
    type: click.kind,
    shortlink: link,
    keyword: click.kw,
    group_guid: groupGuid,
    country: click.c ?? undefined,
    region: click.gr,
    city: click.cy,
    referrer: click.r,
    referrer_network: click.referrer_network,
    device: click.device,
    os: click.os,
    browser: click.browser,
  })
  return { link, groupGuid, data }
}

/** The part of a click message (core/stream/messages.ts) that readers get. */
interface StreamClick {
  readonly event_id: string
  readonly at: string
  readonly kind: string
  readonly nature: string
  readonly link?: string
  readonly group_guid?: string
  readonly kw?: string
  readonly c: string | null
  readonly gr?: string
  readonly cy?: string
  readonly r: string
  readonly referrer_network: string
  readonly device: string
  readonly os?: string
  readonly browser?: string
}
