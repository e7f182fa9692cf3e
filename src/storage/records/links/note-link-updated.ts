/** Tells webhooks that links were changed, in the transaction of the change. */
import type { Transaction } from 'kysely'
import type { Link } from '../../../core/links/link.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteGroupEvent } from '../steps/note-event.js'
import { readLink } from './link-row.js'

/** Links of QR codes that are hidden in lists are nobody's business. */
export async function noteLinkUpdated(tx: Transaction<Schema>, link: Link, at: number): Promise<void> {
  if (link.hidden) return
  const { id, groupGuid, longUrl, title, tags, archived, expiresAt, keywords } = link
  const details = {
    shortlink: id,
    long_url: longUrl,
    title: title ?? '',
    tags,
    archived,
    expiration_at: expiresAt ?? '',
    custom_shortlinks: keywords,
  }
  await noteGroupEvent(tx, groupGuid, { type: 'link.updated', at, details })
}

export async function noteLinksUpdated(tx: Transaction<Schema>, ids: readonly string[], at: number): Promise<void> {
  for (const id of ids) await noteLinkUpdated(tx, await readLink(tx, id), at)
}
