/** Mobile apps in SQL. mobile-app-store.contract.ts defines the behaviour. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type {
  MobileApp,
  MobileAppFields,
  MobileAppStore,
  NewMobileApp,
} from '../../../core/mobile-apps/mobile-app-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { countRows, deleteRows, findRow, holdRow, insertRows } from '../steps/rows.js'

export function sqlMobileAppStore(db: Kysely<Schema>, transact: Transact): MobileAppStore {
  return {
    add: (app) =>
      transact(async (tx) => {
        if (!(await holdRow(tx, 'organizations', { guid: app.organizationGuid }))) return 'no-organization'
        return add(tx, app)
      }),

    ensure: (app, isSame) =>
      transact(async (tx) => {
        if (!(await holdRow(tx, 'organizations', { guid: app.organizationGuid }))) return 'no-organization'
        const known = (await appsOf(tx, app.organizationGuid)).find(isSame)
        if (known) return known
        if ((await add(tx, app)) === 'too-many') return 'too-many'
        const { at, limit: _, isAllowed = false, ...fields } = app
        return { ...fields, isAllowed, createdAt: at, modifiedAt: at }
      }),

    update: (organizationGuid, guid, change, at) => transact((tx) => update(tx, organizationGuid, guid, change, at)),

    allow: (guid, allowed, at) =>
      transact(async (tx) => {
        const row = await tx
          .updateTable('mobile_apps')
          .set({ is_allowed: allowed ? 1 : 0, modified_at: at })
          .where('guid', '=', guid)
          .returningAll()
          .executeTakeFirst()
        return row && appFrom(row)
      }),

    remove: (organizationGuid, guid) =>
      transact((tx) => deleteRows(tx, 'mobile_apps', { guid, organization_guid: organizationGuid })),

    async get(organizationGuid, guid) {
      const row = await findRow(db, 'mobile_apps', { guid, organization_guid: organizationGuid })
      return row && appFrom(row)
    },

    list: (organizationGuid) => appsOf(db, organizationGuid),
  }
}

async function appsOf(db: Kysely<Schema>, organizationGuid: string | undefined): Promise<readonly MobileApp[]> {
  const rows = await db
    .selectFrom('mobile_apps')
    .selectAll()
    .$if(organizationGuid !== undefined, (query) => query.where('organization_guid', '=', organizationGuid ?? ''))
    .orderBy('created_at')
    .orderBy('guid')
    .execute()
  return rows.map(appFrom)
}

async function add(tx: Transaction<Schema>, app: NewMobileApp): Promise<'added' | 'too-many'> {
  const known = await countRows(tx, 'mobile_apps', { organization_guid: app.organizationGuid })
  if (known >= app.limit) return 'too-many'
  await insertRows(
    tx,
    'mobile_apps',
    appColumns.columns({ ...app, os: app.association.os, createdAt: app.at, modifiedAt: app.at }),
  )
  return 'added'
}

async function update(
  tx: Transaction<Schema>,
  organizationGuid: string,
  guid: string,
  change: (current: MobileApp) => Partial<MobileAppFields>,
  at: number,
): Promise<MobileApp | undefined> {
  // Update before reading, as a lock, so that `change` sees concurrent changes.
  const row = await tx
    .updateTable('mobile_apps')
    .set({ modified_at: at })
    .where('guid', '=', guid)
    .where('organization_guid', '=', organizationGuid)
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const current = appFrom(row)
  const columns = columnsOf({ ...current, ...change(current) })
  const allowed = row.association === columns.association ? row.is_allowed : 0
  const changed = await tx
    .updateTable('mobile_apps')
    .set({ ...columns, is_allowed: allowed })
    .where('guid', '=', guid)
    .returningAll()
    .executeTakeFirst()
  return changed && appFrom(changed)
}

const appColumns = codec('mobile_apps', ['os'])

function columnsOf(app: MobileAppFields) {
  const { name, storeUrl, uriScheme, association } = app
  return appColumns.columns({ name, storeUrl, uriScheme, association, os: association.os })
}

function appFrom(row: Selectable<Schema['mobile_apps']>): MobileApp {
  return appColumns.fields(row)
}
