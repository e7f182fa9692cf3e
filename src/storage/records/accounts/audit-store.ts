import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import type {
  AuditAction,
  AuditEntry,
  AuditedStores,
  AuditFilter,
  AuditStore,
} from '../../../core/accounts/audit-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec, partOf } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'

/** The audit log in SQL. audit-store.contract.ts defines the behaviour. */
export function sqlAuditStore(
  db: Kysely<Schema>,
  transact: Transact,
  storesOn: (transact: Transact) => AuditedStores,
): AuditStore {
  return {
    add: (entry) => transact((tx) => addEntry(tx, entry)),

    transact<Answer>(
      change: (stores: AuditedStores) => Promise<Answer>,
      entriesOf: (answer: Answer) => readonly AuditEntry[],
    ) {
      const audited: Transact = (work, isolation) =>
        transact(async (tx) => {
          const answer = await work(tx)
          // Every store method is one transaction and returns its result; the contract suite checks this.
          for (const entry of entriesOf(answer as unknown as Answer)) await addEntry(tx, entry)
          return answer
        }, isolation)
      return change(storesOn(audited))
    },

    async list(filter) {
      const { actions, size } = filter
      const logged = actions?.every((action) => action === 'link_changed') ? [] : await listLogged(db, filter)
      const changes = actions && !actions.includes('link_changed') ? [] : await listLinkChanges(db, filter)
      // At the same time the larger guids come first: `M` of changes before `L` of entries.
      return [...changes, ...logged].sort((one, other) => other.at - one.at).slice(0, size)
    },
  }
}

async function listLogged(db: Kysely<Schema>, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { organizationGuid, login, subject, actions } = filter
  const rows = await db
    .selectFrom('audit_log')
    .selectAll()
    .$if(organizationGuid !== undefined, (query) => query.where((where) => ofOrganization(where, organizationGuid)))
    .$if(login !== undefined, (query) =>
      query.where((where) => where.or([where('login', '=', login ?? ''), where('account', '=', login ?? '')])),
    )
    .$if(subject !== undefined, (query) =>
      query.where((where) => where.or([where('subject', '=', subject ?? ''), where('account', '=', subject ?? '')])),
    )
    .$if(actions !== undefined, (query) => query.where('action', 'in', (actions ?? []) as AuditAction[]))
    .where(inPage('at', filter))
    .orderBy('at', 'desc')
    .orderBy('guid', 'desc')
    .limit(filter.size)
    .execute()
  return rows.map(entryColumns.fields)
}

/** From the history of links: an entry for each changed link. */
async function listLinkChanges(db: Kysely<Schema>, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { organizationGuid, login, subject } = filter
  const rows = await db
    .selectFrom('link_history')
    .select(changeColumns.names)
    .where('organization_guid', 'is not', null)
    .$if(organizationGuid !== undefined, (query) => query.where('organization_guid', '=', organizationGuid ?? ''))
    .$if(login !== undefined, (query) => query.where('login', '=', login ?? ''))
    .$if(subject !== undefined, (query) => query.where('link_id', '=', subject ?? ''))
    .where(inPage('created_at', filter))
    .orderBy('created_at', 'desc')
    .orderBy('guid', 'desc')
    .limit(filter.size)
    .execute()
  return rows.map((row) => {
    const { createdAt, linkId, clientId, after, ...change } = changeColumns.fields(row)
    const details = { fields: Object.keys(after).join(', '), ...(clientId !== undefined && { clientId }) }
    const nobody = { account: undefined, address: undefined }
    return { ...change, ...nobody, at: createdAt, action: 'link_changed', subject: linkId, details }
  })
}

const changeFields = ['guid', 'createdAt', 'login', 'clientId', 'linkId', 'organizationGuid', 'after'] as const
const changeColumns = partOf('link_history', changeFields)

/** The span of time of the filter, and what comes after its position. */
function inPage(time: 'at' | 'created_at', { from, until, after }: AuditFilter): Expression<SqlBool> {
  const at = sql.ref<number>(time)
  const parts = [
    from !== undefined && sql<SqlBool>`${at} >= ${from}`,
    until !== undefined && sql<SqlBool>`${at} < ${until}`,
    // The first comparison is there for the index alone.
    after && sql<SqlBool>`${at} <= ${after.at} and (${at} < ${after.at} or guid < ${after.guid})`,
  ].filter((part) => part !== false && part !== undefined)
  return parts.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(parts, sql` and `)}`
}

async function addEntry(tx: Transaction<Schema>, entry: AuditEntry): Promise<void> {
  await tx.insertInto('audit_log').values(entryColumns.columns(entry)).execute()
}

function ofOrganization(where: ExpressionBuilder<Schema, 'audit_log'>, organizationGuid: string | undefined) {
  const members = where
    .selectFrom('organization_members')
    .select('organization_members.login')
    .where('organization_members.organization_guid', '=', organizationGuid ?? '')
  return where.or([
    where('organization_guid', '=', organizationGuid ?? ''),
    where.and([
      where('organization_guid', 'is', null),
      where.or([where('audit_log.login', 'in', members), where('audit_log.account', 'in', members)]),
    ]),
  ])
}

const entryColumns = codec('audit_log')
