import type { Transaction } from 'kysely'
import type { DeeplinkDraft } from '../../../core/links/deeplink.js'
import { newGuid } from '../../../core/values/guid.js'
import type { Schema } from '../database/schema.js'

/**
 * The link has these deep links in this order, and no others. One that comes with the guid of one that was there keeps
 * it, and its age. False when a guid belongs to another link: the transaction, which holds the link's row, is to be undone.
 */
export async function replaceDeeplinks(
  tx: Transaction<Schema>,
  linkId: string,
  drafts: readonly DeeplinkDraft[],
  at: number,
): Promise<boolean> {
  const before = await tx.selectFrom('link_deeplinks').selectAll().where('link_id', '=', linkId).execute()
  const open = new Map(before.map((row) => [row.guid, row]))
  const rows = drafts.map((draft, position) => {
    const known = open.get(draft.guid ?? '')
    if (known) open.delete(known.guid)
    const fields = {
      app_guid: draft.appGuid,
      os: draft.os,
      app_uri_path: draft.appUriPath,
      install_url: draft.installUrl,
      install_type: draft.installType,
      brand_guid: draft.brandGuid,
    }
    const same = known && Object.entries(fields).every(([name, value]) => Reflect.get(known, name) === value)
    return {
      guid: known?.guid ?? newGuid('deeplink'),
      link_id: linkId,
      position,
      ...fields,
      created_at: known?.created_at ?? at,
      modified_at: same ? known.modified_at : at,
    }
  })
  const own = new Set(before.map((row) => row.guid))
  const strange = drafts.flatMap(({ guid }) => (guid === undefined || own.has(guid) ? [] : [guid]))
  if (strange.length > 0) {
    const elsewhere = tx.selectFrom('link_deeplinks').select('guid').where('guid', 'in', strange).limit(1)
    if (await elsewhere.executeTakeFirst()) return false
  }
  if (before.length > 0) await tx.deleteFrom('link_deeplinks').where('link_id', '=', linkId).execute()
  if (rows.length > 0) await tx.insertInto('link_deeplinks').values(rows).execute()
  return true
}
