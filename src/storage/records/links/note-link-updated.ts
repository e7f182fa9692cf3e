/** Tells webhooks and the history that links were changed, in the transaction of the change. */
import type { Transaction } from 'kysely'
import type { ChangeContext, Link } from '../../../core/links/link.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteGroupEvent } from '../steps/note-event.js'
import { addToHistory } from './link-history.js'
import { readLink } from './link-row.js'

/** A change of what owners set. `before` was read when the link was locked; returns the link as it is now. */
export async function noteLinkChanged(tx: Transaction<Schema>, before: Link, context: ChangeContext): Promise<Link> {
  const link = await readLink(tx, before.id)
  await noteLinkUpdated(tx, link, context.at)
  await addToHistory(tx, before, link, context)
  return link
}

/** Links of QR codes that are hidden in lists are nobody's business. */
async function noteLinkUpdated(tx: Transaction<Schema>, link: Link, at: number): Promise<void> {
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

/** A change of their back-halves, which have a history of their own. */
export async function noteLinksUpdated(tx: Transaction<Schema>, ids: readonly string[], at: number): Promise<void> {
  for (const id of ids) await noteLinkUpdated(tx, await readLink(tx, id), at)
}
