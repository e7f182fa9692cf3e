/** UTM templates in SQL. utm-template-store.contract.ts defines the behaviour. */
import type { Kysely } from 'kysely'
import type { UtmTemplate, UtmTemplateStore } from '../../../core/groups/utm-template-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, holdRow } from '../steps/rows.js'

export function sqlUtmTemplateStore(db: Kysely<Schema>, transact: Transact): UtmTemplateStore {
  return {
    add: (template) =>
      transact(async (tx) => {
        const { at, limit, groupGuid } = template
        if (!(await holdRow(tx, 'groups', { guid: groupGuid }))) return 'no-group'
        const known = await templatesOf(tx, groupGuid)
        if (known.some(({ name }) => name === template.name)) return 'taken'
        if (known.length >= limit) return 'too-many'
        const row = templateColumns.columns({ ...template, createdAt: at, modifiedAt: at })
        await tx.insertInto('utm_templates').values(row).execute()
        return 'added'
      }),

    update: (groupGuid, guid, change, at) =>
      transact(async (tx) => {
        await holdRow(tx, 'groups', { guid: groupGuid })
        const known = await templatesOf(tx, groupGuid)
        if (!known.some((template) => template.guid === guid)) return 'missing'
        if (known.some((template) => template.guid !== guid && template.name === change.name)) return 'taken'
        const row = await tx
          .updateTable('utm_templates')
          .set({ ...change, modified_at: at })
          .where('guid', '=', guid)
          .returningAll()
          .executeTakeFirstOrThrow()
        return templateColumns.fields(row)
      }),

    remove: (groupGuid, guid) => transact((tx) => deleteRows(tx, 'utm_templates', { guid, group_guid: groupGuid })),

    list: (groupGuid) => templatesOf(db, groupGuid),
  }
}

async function templatesOf(db: Kysely<Schema>, groupGuid: string): Promise<readonly UtmTemplate[]> {
  const rows = await db.selectFrom('utm_templates').selectAll().where('group_guid', '=', groupGuid).execute()
  // Sorted here: the engines order letters differently.
  return rows.map(templateColumns.fields).sort((one, other) => (one.name < other.name ? -1 : 1))
}

const templateColumns = codec('utm_templates')
