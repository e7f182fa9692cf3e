/** UTM templates in SQL. utm-template-store.contract.ts defines the behaviour. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { UtmTemplate, UtmTemplateStore } from '../../../core/groups/utm-template-store.js'
import type { Schema } from '../database/schema.js'
import { changesRow, type Transact } from '../database/transact.js'

export function sqlUtmTemplateStore(db: Kysely<Schema>, transact: Transact): UtmTemplateStore {
  return {
    add: (template) =>
      transact(async (tx) => {
        const { at, limit, groupGuid, createdBy, ...fields } = template
        if (!(await lockGroup(tx, groupGuid))) return 'no-group'
        const known = await templatesOf(tx, groupGuid)
        if (known.some(({ name }) => name === fields.name)) return 'taken'
        if (known.length >= limit) return 'too-many'
        const row = { ...fields, group_guid: groupGuid, created_by: createdBy, created_at: at, modified_at: at }
        await tx.insertInto('utm_templates').values(row).execute()
        return 'added'
      }),

    update: (groupGuid, guid, change, at) =>
      transact(async (tx) => {
        await lockGroup(tx, groupGuid)
        const known = await templatesOf(tx, groupGuid)
        if (!known.some((template) => template.guid === guid)) return 'missing'
        if (known.some((template) => template.guid !== guid && template.name === change.name)) return 'taken'
        const row = await tx
          .updateTable('utm_templates')
          .set({ ...change, modified_at: at })
          .where('guid', '=', guid)
          .returningAll()
          .executeTakeFirstOrThrow()
        return templateFrom(row)
      }),

    remove: (groupGuid, guid) =>
      transact((tx) =>
        changesRow(tx.deleteFrom('utm_templates').where('guid', '=', guid).where('group_guid', '=', groupGuid)),
      ),

    list: (groupGuid) => templatesOf(db, groupGuid),
  }
}

/** An update that changes nothing, as a lock: concurrent changes of the group's templates wait here. */
function lockGroup(tx: Transaction<Schema>, guid: string): Promise<boolean> {
  return changesRow(
    tx
      .updateTable('groups')
      .set((row) => ({ name: row.ref('name') }))
      .where('guid', '=', guid),
  )
}

async function templatesOf(db: Kysely<Schema>, groupGuid: string): Promise<readonly UtmTemplate[]> {
  const rows = await db.selectFrom('utm_templates').selectAll().where('group_guid', '=', groupGuid).execute()
  // Sorted here: the engines order letters differently.
  return rows.map(templateFrom).sort((one, other) => (one.name < other.name ? -1 : 1))
}

function templateFrom(row: Selectable<Schema['utm_templates']>): UtmTemplate {
  const { group_guid, created_by, created_at, modified_at, ...fields } = row
  return { ...fields, groupGuid: group_guid, createdBy: created_by, createdAt: created_at, modifiedAt: modified_at }
}
