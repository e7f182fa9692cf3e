/** Which images and links sites use: for the transaction that writes a document. */
import type { Transaction } from 'kysely'
import { type BlockType, type Site, usesOf } from '../../../core/sites/site.js'
import type { Schema } from '../../sql/tables/schema.js'
import { areImages } from '../images/image-uses.js'
import { insertRows, upsert } from '../steps/rows.js'

/** False if an image does not exist: then the caller rolls back. */
export async function setUses(
  tx: Transaction<Schema>,
  { guid, draft, live }: Pick<Site, 'guid' | 'draft' | 'live'>,
): Promise<boolean> {
  const ofLive = live && usesOf(live)
  const ofDraft = usesOf(draft)
  const images = [...new Set([...ofDraft.imageGuids, ...(ofLive?.imageGuids ?? [])])]
  const before = await tx.selectFrom('site_images').select('image_guid').where('site_guid', '=', guid).execute()
  const known = new Set(before.map(({ image_guid }) => image_guid))
  const added = images.filter((image) => !known.has(image))
  if (!(await areImages(tx, added))) return false
  if (added.length > 0) {
    await insertRows(
      tx,
      'site_images',
      added.map((image_guid) => ({ image_guid, site_guid: guid })),
    )
  }
  const gone = [...known].filter((image) => !images.includes(image))
  if (gone.length > 0) {
    await tx.deleteFrom('site_images').where('site_guid', '=', guid).where('image_guid', 'in', gone).execute()
  }
  await setLinks(tx, guid, new Map([...(ofLive?.links ?? []), ...ofDraft.links]), new Set(ofLive?.links.keys()))
  return true
}

/** Writes only what changed: a site may have many links, and most changes concern one block. */
async function setLinks(
  tx: Transaction<Schema>,
  siteGuid: string,
  used: ReadonlyMap<string, BlockType>,
  live: ReadonlySet<string>,
): Promise<void> {
  const before = await tx.selectFrom('site_links').selectAll().where('site_guid', '=', siteGuid).execute()
  const known = new Map(before.map((row) => [row.link_id, row]))
  for (const linkId of new Set([...known.keys(), ...used.keys()])) {
    const row = known.get(linkId)
    const type = used.get(linkId) ?? row?.type ?? 'shortlink'
    const is_used = used.has(linkId) ? 1 : 0
    const is_live = live.has(linkId) ? 1 : 0
    const isSame = row && row.type === type && row.is_used === is_used && row.is_live === is_live
    if (isSame) continue
    const was_live = row?.was_live === 1 ? 1 : is_live
    await upsert(tx, 'site_links', { link_id: linkId, site_guid: siteGuid }, { type, is_used, is_live, was_live })
  }
}
