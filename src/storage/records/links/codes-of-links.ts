/** What happens to QR codes when their link is deleted or their keyword is moved, inside somebody else's transaction. */
import type { Transaction } from 'kysely'
import type { Schema } from '../../sql/tables/schema.js'
import { setImageUses } from '../images/image-uses.js'
import { updateRows } from '../steps/rows.js'
import { qrCodeTags } from './write-tags.js'

/** Codes of a link that is gone lead nowhere: they are gone with it. */
export async function removeCodesOf(tx: Transaction<Schema>, linkId: string, at: number): Promise<void> {
  const rows = await tx
    .updateTable('qr_codes')
    .set({ deleted_at: at, modified_at: at })
    .where('link_id', '=', linkId)
    .where('deleted_at', 'is', null)
    .returning(['id', 'group_guid', 'created_at'])
    .execute()
  for (const row of rows) await freeCode(tx, { id: row.id, groupGuid: row.group_guid, createdAt: row.created_at })
}

/** Gives back what a deleted code used. */
export async function freeCode(
  tx: Transaction<Schema>,
  code: { readonly id: string; readonly groupGuid: string; readonly createdAt: number },
): Promise<void> {
  await qrCodeTags.set(tx, code, [])
  await setImageUses(tx, code.id, [])
}

/** A code with a keyword in it leads where the keyword leads. */
export async function repointCodes(tx: Transaction<Schema>, address: string, from: string, to: string): Promise<void> {
  await updateRows(tx, 'qr_codes', { link_id: from, address }, { link_id: to })
}
