/** Tells webhooks and the history that links were changed, in the transaction of the change. */
import type { Transaction } from 'kysely'
import type { ChangeContext, Link } from '../../../core/links/link.js'
import type { NotedEvent } from '../../../core/webhooks/queued-events.js'
import { chunks } from '../../../lib/chunks.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteGroupEvents } from '../steps/note-event.js'
import { addToHistory } from './link-history.js'
import { linkFrom, readLink, selectLinks } from './link-row.js'

/** A change of what owners set. `before` was read when the link was locked; returns the link as it is now. */
export async function noteLinkChanged(tx: Transaction<Schema>, before: Link, context: ChangeContext): Promise<Link> {
  const link = await readLink(tx, before.id)
  // Links of QR codes that are hidden in lists are nobody's business.
  if (!link.hidden) await noteGroupEvents(tx, link.groupGuid, [updateOf(link, context.at)])
  await addToHistory(tx, before, link, context)
  return link
}

/** For webhooks alone: changes of back-halves have a history of their own, and those of a tag were written to it before. */
export async function noteLinksUpdated(tx: Transaction<Schema>, ids: readonly string[], at: number): Promise<void> {
  for (const some of chunks(ids, linksPerRead)) {
    const rows = await selectLinks(tx).where('links.id', 'in', some).where('links.hidden', '=', 0).execute()
    const links = rows.map(linkFrom)
    for (const groupGuid of new Set(links.map((link) => link.groupGuid))) {
      const changed = links.filter((link) => link.groupGuid === groupGuid)
      const events = changed.map((link) => updateOf(link, at))
      await noteGroupEvents(tx, groupGuid, events)
    }
  }
}

// SQLite reads so many in about a millisecond, and yields to the event loop between statements.
const linksPerRead = 20

function updateOf(link: Link, at: number): NotedEvent {
  const { id, longUrl, title, tags, archived, expiresAt, keywords } = link
  const details = {
    shortlink: id,
    long_url: longUrl,
    title: title ?? '',
    tags,
    archived,
    expiration_at: expiresAt ?? '',
    custom_shortlinks: keywords,
  }
  return { type: 'link.updated', at, details }
}
