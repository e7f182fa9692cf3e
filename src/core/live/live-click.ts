import { type Click, textOf } from '../clicks/click.js'
import { listedDimensions } from '../clicks/dimensions.js'
import type { DomainNames } from '../domains/domains.js'

/** A click as live readers see it, as JSON (docs/api/events.md). Unknown values are left out. */
export function liveClick(click: Click, names: DomainNames): string {
  return JSON.stringify({
    event_id: click.eventId,
    clicked_at: new Date(click.at).toISOString(),
    type: click.kind,
    shortlink: names.shown(click.linkId),
    keyword: click.address === click.linkId ? undefined : click.address.slice(click.address.indexOf('/') + 1),
    group_guid: click.groupGuid,
    ...Object.fromEntries(listedDimensions.map(({ name, column }) => [column, textOf(click, name) || undefined])),
  })
}
