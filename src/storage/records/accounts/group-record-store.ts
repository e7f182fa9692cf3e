/** UTM templates, views and annotations in SQL. group-record-store.contract.ts defines the behaviour. */
import type { Kysely } from 'kysely'
import type {
  AnnotationFields,
  AnnotationStore,
  GroupRecord,
  GroupRecordStore,
  UtmTemplateFields,
  UtmTemplateStore,
  ViewFields,
  ViewStore,
} from '../../../core/groups/group-record-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, holdRow, insertRows } from '../steps/rows.js'

export function sqlUtmTemplateStore(db: Kysely<Schema>, transact: Transact): UtmTemplateStore {
  return sqlGroupRecordStore<UtmTemplateFields>(db, transact, 'utm_templates', {
    collide: haveSameName,
    compare: byName,
  })
}

export function sqlViewStore(db: Kysely<Schema>, transact: Transact): ViewStore {
  return sqlGroupRecordStore<ViewFields>(db, transact, 'views', {
    collide: (one, other) => one.page === other.page && haveSameName(one, other),
    compare: byName,
  })
}

export function sqlAnnotationStore(db: Kysely<Schema>, transact: Transact): AnnotationStore {
  return sqlGroupRecordStore<AnnotationFields>(db, transact, 'annotations', {
    collide: () => false,
    compare: (one, other) => other.happenedAt - one.happenedAt || (one.guid < other.guid ? -1 : 1),
  })
}

interface Named {
  readonly guid: string
  readonly name: string
}

function haveSameName(one: Pick<Named, 'name'>, other: Pick<Named, 'name'>): boolean {
  return one.name === other.name
}

function byName(one: Named, other: Named): number {
  if (one.name === other.name) return one.guid < other.guid ? -1 : 1
  return one.name < other.name ? -1 : 1
}

interface Order<Fields> {
  /** Whether only one of them may be there. */
  readonly collide: (one: Fields, other: Fields) => boolean
  /** Sorted here: the engines order letters differently. */
  readonly compare: (one: GroupRecord<Fields>, other: GroupRecord<Fields>) => number
}

function sqlGroupRecordStore<Fields extends object>(
  db: Kysely<Schema>,
  transact: Transact,
  table: 'utm_templates' | 'views' | 'annotations',
  { collide, compare }: Order<Fields>,
): GroupRecordStore<Fields> {
  type Found = GroupRecord<Fields>
  // The columns that the statements below name are in all three.
  const records = table as 'utm_templates'
  const columns = codec(records)
  const read = (row: object) => columns.fields(row) as unknown as Found
  const recordsOf = async (from: Kysely<Schema>, groupGuid: string): Promise<readonly Found[]> => {
    const rows = await from.selectFrom(records).selectAll().where('group_guid', '=', groupGuid).execute()
    return rows.map(read).sort(compare)
  }
  return {
    add: (record) =>
      transact(async (tx) => {
        const { at, limit, groupGuid, ...fields } = record
        if (!(await holdRow(tx, 'groups', { guid: groupGuid }))) return 'no-group'
        const known = await recordsOf(tx, groupGuid)
        if (known.some((each) => collide(each, record))) return 'taken'
        if (known.length >= limit) return 'too-many'
        const row = columns.columns({ ...(fields as object), groupGuid, createdAt: at, modifiedAt: at })
        await insertRows(tx, records, row as never)
        return 'added'
      }),

    update: (groupGuid, guid, change, at) =>
      transact(async (tx) => {
        await holdRow(tx, 'groups', { guid: groupGuid })
        const known = await recordsOf(tx, groupGuid)
        const former = known.find((each) => each.guid === guid)
        if (!former) return 'missing'
        const changed = { ...former, ...change, modifiedAt: at }
        if (known.some((each) => each.guid !== guid && collide(each, changed))) return 'taken'
        const row = columns.columns({ ...(change as object), modifiedAt: at })
        await tx.updateTable(records).set(row).where('guid', '=', guid).execute()
        return changed
      }),

    remove: (groupGuid, guid) => transact((tx) => deleteRows(tx, records, { guid, group_guid: groupGuid })),

    list: (groupGuid) => recordsOf(db, groupGuid),
  }
}
