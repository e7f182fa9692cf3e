import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import type { AuditAction, AuditEntry, AuditedStores, AuditStore } from '../../../core/accounts/audit-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
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

    async list({ organizationGuid, login, actions, from, until, after, size }) {
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .$if(organizationGuid !== undefined, (query) => query.where((where) => ofOrganization(where, organizationGuid)))
        .$if(login !== undefined, (query) =>
          query.where((where) => where.or([where('login', '=', login ?? ''), where('account', '=', login ?? '')])),
        )
        .$if(actions !== undefined, (query) => query.where('action', 'in', (actions ?? []) as AuditAction[]))
        .$if(from !== undefined, (query) => query.where('at', '>=', from ?? 0))
        .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
        .$if(after !== undefined, (query) =>
          query.where(({ or, and, eb }) =>
            or([
              eb('at', '<', after?.at ?? 0),
              and([eb('at', '=', after?.at ?? 0), eb('guid', '<', after?.guid ?? '')]),
            ]),
          ),
        )
        .orderBy('at', 'desc')
        .orderBy('guid', 'desc')
        .limit(size)
        .execute()
      return rows.map(entryColumns.fields)
    },
  }
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
