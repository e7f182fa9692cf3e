import type { Kysely, Migration } from 'kysely'
import { newGuid } from '../../../core/values/guid.js'
import type { Schema } from '../tables/schema.js'

/** The ids by which everybody may fetch the picture of a QR code. Never edited after release. */
export const qrImageIds: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('qr_codes').addColumn('image_id', 'text').execute()
    const codes = await db.selectFrom('qr_codes').select('id').execute()
    for (const { id } of codes) {
      await db
        .updateTable('qr_codes')
        .set({ image_id: newGuid('qr-image') })
        .where('id', '=', id)
        .execute()
    }
    await db.schema.createIndex('qr_codes_image').unique().on('qr_codes').column('image_id').execute()
  },
}
