/** Images in SQL. What each method promises: image-store.contract.ts. */
import type { Kysely, Transaction } from 'kysely'
import type { Image } from '../../../core/images/image.js'
import type { ImageStore, NewImage } from '../../../core/images/image-store.js'
import { changesRow, LostRace, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { countRows, hasRow, holdRow, insertMissing, insertRows, newestFirst, readHeldRow } from '../steps/rows.js'

export function sqlImageStore(db: Kysely<Schema>, transact: Transact): ImageStore {
  return {
    add: (image) => transact((tx) => add(tx, image)),

    async find(guid) {
      const row = await selectImages(db).where('images.guid', '=', guid).executeTakeFirst()
      return row && imageFrom(row)
    },

    async page({ groupGuid, after, size }) {
      const ofGroup = selectImages(db).where('images.group_guid', '=', groupGuid)
      const place = after && ([after.createdAt, after.guid] as const)
      return (await newestFirst(ofGroup, ['images.created_at', 'images.guid'], place, size).execute()).map(imageFrom)
    },

    rename: (guid, name) =>
      transact(async (tx) => {
        await tx.updateTable('images').set({ name }).where('guid', '=', guid).execute()
        const row = await selectImages(tx).where('images.guid', '=', guid).executeTakeFirst()
        return row && imageFrom(row)
      }),

    remove: (guid, at) => transact((tx) => remove(tx, guid, at)),

    addUnusedBlob: (key, due) => transact((tx) => insertRows(tx, 'unused_blobs', { blob_key: key, due_at: due })),

    async unusedBlobs(at) {
      const rows = await db.selectFrom('unused_blobs').select('blob_key').where('due_at', '<=', at).execute()
      return rows.map((row) => row.blob_key)
    },

    forgetUnusedBlob: (key) =>
      transact(async (tx) => {
        await tx.deleteFrom('unused_blobs').where('blob_key', '=', key).execute()
      }),
  }
}

async function add(tx: Transaction<Schema>, image: NewImage): Promise<'added' | 'no-blob' | 'no-group' | 'too-many'> {
  // Whoever else adds an image to the group waits here.
  if (!(await holdRow(tx, 'groups', { guid: image.groupGuid }))) return 'no-group'
  if ((await countRows(tx, 'images', { group_guid: image.groupGuid })) >= image.limit) return 'too-many'
  if (!(await lockBlob(tx, image.sha256)) && !(await useBlob(tx, image))) return 'no-blob'
  await tx.insertInto('images').values(imageColumns.columns(image)).execute()
  return 'added'
}

async function useBlob(tx: Transaction<Schema>, { sha256, blobKey, createdAt }: NewImage): Promise<boolean> {
  if (blobKey === undefined) return false
  const deleted = await changesRow(
    tx.deleteFrom('unused_blobs').where('blob_key', '=', blobKey).where('due_at', '>', createdAt),
  )
  if (!deleted) return false
  // Somebody stored the same bytes in the meantime: the next attempt uses theirs.
  if (!(await insertMissing(tx, 'image_blobs', { sha256, blob_key: blobKey }))) throw new LostRace()
  return true
}

async function remove(tx: Transaction<Schema>, guid: string, at: number): Promise<'removed' | 'no-image' | 'in-use'> {
  // For its lock: a QR code or a site that is being saved with this image is seen below, or does not find the image.
  const image = await readHeldRow(tx, 'images', { guid })
  if (!image) return 'no-image'
  if (await hasRow(tx, 'qr_code_images', { image_guid: guid })) return 'in-use'
  if (await hasRow(tx, 'site_images', { image_guid: guid })) return 'in-use'
  await tx.deleteFrom('images').where('guid', '=', guid).execute()

  const { sha256 } = image
  const blobKey = await lockBlob(tx, sha256)
  if (blobKey === undefined || (await hasRow(tx, 'images', { sha256 }))) return 'removed'
  await tx.deleteFrom('image_blobs').where('sha256', '=', sha256).execute()
  await tx.insertInto('unused_blobs').values({ blob_key: blobKey, due_at: at }).execute()
  return 'removed'
}

/** Its key, or undefined. Who uses the blob and who gives it up wait for each other here. */
async function lockBlob(tx: Transaction<Schema>, sha256: string): Promise<string | undefined> {
  return (await readHeldRow(tx, 'image_blobs', { sha256 }))?.blob_key
}

function selectImages(db: Kysely<Schema>) {
  return db
    .selectFrom('images')
    .innerJoin('groups', 'groups.guid', 'images.group_guid')
    .innerJoin('image_blobs', 'image_blobs.sha256', 'images.sha256')
    .selectAll('images')
    .select(['groups.organization_guid', 'image_blobs.blob_key'])
}

const imageColumns = codec('images')

function imageFrom(row: Awaited<ReturnType<ReturnType<typeof selectImages>['executeTakeFirstOrThrow']>>): Image {
  return imageColumns.fieldsWith(row, { organizationGuid: row.organization_guid, blobKey: row.blob_key })
}
