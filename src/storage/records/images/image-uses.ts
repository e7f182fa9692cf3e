/** Which QR codes use which images: for the transaction that writes a QR code. First `areImages`, then `setImageUses`. */
import type { Transaction } from 'kysely'
import type { Schema } from '../../sql/tables/schema.js'

/** Whether all of them exist. Nobody can remove one before the transaction ends. */
export async function areImages(tx: Transaction<Schema>, guids: readonly string[]): Promise<boolean> {
  if (guids.length === 0) return true
  // An update that changes nothing, for its lock.
  const found = await tx
    .updateTable('images')
    .set((row) => ({ name: row.ref('name') }))
    .where('guid', 'in', [...guids])
    .returning('guid')
    .execute()
  return found.length === new Set(guids).size
}

/** Replaces the images that a QR code uses. They must have been found in this transaction. */
export async function setImageUses(tx: Transaction<Schema>, qrCodeId: string, guids: readonly string[]): Promise<void> {
  await tx.deleteFrom('qr_code_images').where('qr_code_id', '=', qrCodeId).execute()
  const rows = [...new Set(guids)].map((guid) => ({ image_guid: guid, qr_code_id: qrCodeId }))
  if (rows.length > 0) await tx.insertInto('qr_code_images').values(rows).execute()
}
