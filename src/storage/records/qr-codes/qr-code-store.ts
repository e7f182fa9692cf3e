/**
 * QR codes in SQL. What each method promises: qr-code-store.contract.ts. A code and its link are written in one transaction,
 * which takes the row of the link before that of the code: so do all who write both.
 */
import type { Kysely, Transaction } from 'kysely'
import type { QrCode, QrCodeDraft } from '../../../core/qr-codes/qr-code.js'
import type { QrCodeCreated, QrCodeRemoved, QrCodeStore, QrCodeUpdated } from '../../../core/qr-codes/qr-code-store.js'
import type { QrDesign } from '../../../core/qr-design/design.js'
import type { DrawHash } from '../../../core/values/random.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { type Undo, undoable } from '../../sql/database/undoable.js'
import type { PositionFunction } from '../../sql/engine.js'
import type { Schema } from '../../sql/tables/schema.js'
import { areImages, setImageUses } from '../images/image-uses.js'
import { freeCode } from '../links/codes-of-links.js'
import { linkInserts } from '../links/insert-links.js'
import { readLink } from '../links/link-row.js'
import { linkSteps } from '../links/write-links.js'
import { qrCodeTags } from '../links/write-tags.js'
import { noteGroupEvents } from '../steps/note-event.js'
import { findRow, hasRow, insertRows, updateRows } from '../steps/rows.js'
import { type CountUsage, usesOf } from '../usage/count-usage.js'
import { sqlQrCodeLists } from './qr-code-lists.js'
import { codeColumns, codeFrom, selectCodes } from './qr-code-row.js'

export interface QrCodeStoreOptions {
  readonly announce: Announce
  readonly countUsage: CountUsage
  readonly position: PositionFunction
}

export function sqlQrCodeStore(db: Kysely<Schema>, transact: Transact, options: QrCodeStoreOptions): QrCodeStore {
  const { announce, countUsage } = options
  const links = linkSteps(
    linkInserts(db, transact, { countUsage, parallel: 1, isAlone: () => true }),
    announce,
    countUsage,
  )

  async function create(
    tx: Transaction<Schema>,
    undo: Undo<QrCodeCreated>,
    draft: QrCodeDraft,
    newHash: DrawHash,
  ): Promise<QrCodeCreated> {
    const place = await placeFor(tx, draft, newHash)
    if (!place) return { outcome: 'no-link' }
    const { id, groupGuid, organizationGuid, at } = draft
    await insertRows(tx, 'qr_codes', codeColumns.columns({ ...draft, ...place, createdAt: at, modifiedAt: at }))
    if (!(await useLogo(tx, id, draft.design))) return undo({ outcome: 'no-image' })
    if (draft.tags.length > 0) {
      const outcome = await qrCodeTags.set(tx, { id, groupGuid, createdAt: at }, draft.tags)
      if (outcome !== 'held') return undo({ outcome: 'too-many-tags' })
    }
    const code = await readCode(tx, id)
    const details = { qr_code_id: id, shortlink: place.address, title: draft.title ?? '' }
    // The first one is the one of its site.
    if (code.siteGuid !== undefined) {
      await updateRows(tx, 'sites', { guid: code.siteGuid, qr_code_id: null }, { qr_code_id: id })
    }
    await noteGroupEvents(tx, groupGuid, [{ type: 'qr_code.created', at, details }])
    await countUsage(tx, [{ groupGuid, organizationGuid, counter: 'qr_codes', at }])
    return { outcome: 'done', code }
  }

  /** Where the code leads: undefined when there is no such link in the group. */
  async function placeFor(tx: Transaction<Schema>, { destination, groupGuid }: QrCodeDraft, newHash: DrawHash) {
    if ('address' in destination) {
      const { address } = destination
      const linkId = await holdLink(tx, address, groupGuid)
      return linkId === undefined ? undefined : { address, linkId }
    }
    const { link: draft, details } = destination
    const never = ({ outcome }: { readonly outcome: string }): never => {
      throw new Error(`the link of a QR code was refused: ${outcome}`)
    }
    const created = await links.create(tx, never, { ...draft, forceNew: true, hidden: true }, details, newHash)
    return created.outcome === 'done' ? { address: created.link.id, linkId: created.link.id } : never(created)
  }

  const update: QrCodeStore['update'] = (id, change, context) =>
    undoable(transact, async (tx, undo): Promise<QrCodeUpdated> => {
      const known = await tx.selectFrom('qr_codes').select('link_id').where('id', '=', id).executeTakeFirst()
      if (!known) return { outcome: 'missing' }
      if (change.link) {
        const missing = () => undo({ outcome: 'missing' })
        const updated = await links.update(tx, missing, known.link_id, change.link, context)
        if (updated.outcome !== 'done') return missing()
        if (!updated.link.hidden) return undo({ outcome: 'coupled' })
      }
      const { design, tags } = change
      const row = await tx
        .updateTable('qr_codes')
        .set({ ...codeColumns.columns(change), modified_at: context.at })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning(['group_guid', 'created_at'])
        .executeTakeFirst()
      if (!row) return undo({ outcome: 'missing' })
      if (design !== undefined && !(await useLogo(tx, id, design))) return undo({ outcome: 'no-image' })
      if (tags) {
        const outcome = await qrCodeTags.set(tx, { id, groupGuid: row.group_guid, createdAt: row.created_at }, tags)
        if (outcome !== 'held') return undo({ outcome: 'too-many-tags' })
      }
      return { outcome: 'done', code: await readCode(tx, id) }
    })

  const couple: QrCodeStore['couple'] = (id, { at, organizationGuid, branded }) =>
    transact(async (tx) => {
      const code = await findRow(tx, 'qr_codes', { id, deleted_at: null }, ['link_id', 'title', 'group_guid'])
      if (!code) return { outcome: 'missing' }
      const linkId = code.link_id
      const { numUpdatedRows } = await tx
        .updateTable('links')
        .set(({ fn, val }) => ({
          hidden: 0,
          created_at: at,
          modified_at: at,
          title: fn.coalesce('title', val(code.title)),
        }))
        .where('id', '=', linkId)
        .where('hidden', '=', 1)
        .where('site_guid', 'is', null)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow()
      const coupledNow = numUpdatedRows > 0n
      if (coupledNow) await tx.updateTable('addresses').set({ created_at: at }).where('address', '=', linkId).execute()
      const link = await readLink(tx, linkId)
      if (link.deletedAt !== undefined) return { outcome: 'missing' }
      if (coupledNow) {
        await announce(tx, [linkId])
        await countUsage(tx, usesOf({ groupGuid: code.group_guid, organizationGuid, branded, at }))
      }
      return { outcome: 'done', link, coupledNow }
    })

  const remove: QrCodeStore['remove'] = (id, at) =>
    undoable(transact, async (tx, undo): Promise<QrCodeRemoved> => {
      const code = await findRow(tx, 'qr_codes', { id }, ['link_id', 'address', 'group_guid', 'created_at'])
      if (!code) return { outcome: 'missing' }
      const linkId = code.link_id
      const link = await holdRow(tx, linkId)
      const removed = { deleted_at: at, modified_at: at }
      const isRemoved = await updateRows(tx, 'qr_codes', { id, deleted_at: null }, removed)
      if (!isRemoved) return undo({ outcome: 'missing' })
      if (link?.site_guid) {
        // Sites have keywords from the start, and keep their link.
        await updateRows(tx, 'sites', { guid: link.site_guid, qr_code_id: id }, { qr_code_id: null })
        await freeCode(tx, { id, groupGuid: code.group_guid, createdAt: code.created_at })
        return { outcome: 'removed', linkIds: [] }
      }
      if (code.address !== linkId || link?.edited_at !== null) return undo({ outcome: 'edited' })
      await freeCode(tx, { id, groupGuid: code.group_guid, createdAt: code.created_at })
      const isShared = await hasRow(tx, 'qr_codes', { link_id: linkId, deleted_at: null })
      if (isShared) return { outcome: 'removed', linkIds: [] }
      await links.remove(tx, linkId, at)
      return { outcome: 'removed', linkIds: [linkId] }
    })

  return {
    ...sqlQrCodeLists(db, transact, options.position),
    create: (draft, newHash) => undoable(transact, (tx, undo) => create(tx, undo, draft, newHash)),
    update,
    couple,
    remove,
    async get(id) {
      const row = await selectCodes(db).where('qr_codes.id', '=', id).executeTakeFirst()
      return row && codeFrom(row)
    },
    async byImageId(imageId) {
      const row = await selectCodes(db)
        .where('qr_codes.image_id', '=', imageId)
        .where('qr_codes.deleted_at', 'is', null)
        .executeTakeFirst()
      return row && codeFrom(row)
    },
  }
}

/** The link of the group behind an address. Whoever deletes it waits until our transaction has ended. */
async function holdLink(tx: Transaction<Schema>, address: string, groupGuid: string): Promise<string | undefined> {
  const row = await tx
    .updateTable('links')
    .set((eb) => ({ modified_at: eb.ref('modified_at') }))
    .where('id', '=', (eb) => eb.selectFrom('addresses').select('link_id').where('address', '=', address))
    .where('group_guid', '=', groupGuid)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('hidden', '=', 0), eb('site_guid', 'is not', null)]))
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

function holdRow(tx: Transaction<Schema>, linkId: string) {
  return tx
    .updateTable('links')
    .set((eb) => ({ modified_at: eb.ref('modified_at') }))
    .where('id', '=', linkId)
    .returning(['edited_at', 'site_guid'])
    .executeTakeFirst()
}

async function readCode(tx: Transaction<Schema>, id: string): Promise<QrCode> {
  return codeFrom(await selectCodes(tx).where('qr_codes.id', '=', id).executeTakeFirstOrThrow())
}

/** False when the image of the logo does not exist. */
async function useLogo(tx: Transaction<Schema>, id: string, design: QrDesign | null | undefined): Promise<boolean> {
  const images = design?.logo ? [design.logo.imageGuid] : []
  if (!(await areImages(tx, images))) return false
  await setImageUses(tx, id, images)
  return true
}
