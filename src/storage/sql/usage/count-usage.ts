/**
 * Counts what was used, inside the transaction that writes it. Always its last statement: all links of a group made on
 * one day meet at one row, and whoever waits there must hold up nobody for longer than a commit takes.
 */
import type { Insertable, Kysely, Transaction } from 'kysely'
import type { LinkDetails, LinkDraft } from '../../../core/links/link.js'
import { type Counter, dayLength } from '../../../core/usage/usage-store.js'
import { multiInsert } from '../multi-insert.js'
import type { Schema } from '../schema.js'

/** One more of something, used by a group. */
export interface Use {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly counter: Counter
  readonly at: number
}

export type CountUsage = (tx: Transaction<Schema>, uses: readonly Use[]) => Promise<void>

/** One statement for all of them, with a row for each group, thing and day. */
export function usageCounts(db: Kysely<Schema>): CountUsage {
  const insert = multiInsert((rows: readonly NewUsage[]) => addUsage(db, rows))
  return async (tx, uses) => {
    const rows = new Map<string, NewUsage>()
    for (const { groupGuid, organizationGuid, counter, at } of uses) {
      const day = dayOf(at)
      const key = `${groupGuid} ${counter} ${day} ${organizationGuid}`
      const count = (rows.get(key)?.count ?? 0) + 1
      rows.set(key, { group_guid: groupGuid, name: counter, day, organization_guid: organizationGuid, count })
    }
    // In one order, whoever races.
    const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1))
    await insert(
      tx,
      sorted.map(([, row]) => row),
    )
  }
}

/** What a new link uses. */
export function usesOf(draft: LinkDraft, details?: LinkDetails): readonly Use[] {
  const { groupGuid, organizationGuid, branded, at } = draft
  const use = (counter: Counter) => ({ groupGuid, organizationGuid, counter, at })
  return [
    use('links'),
    ...(branded ? [use('branded_links')] : []),
    ...(details?.keyword === undefined ? [] : [use('custom_back_halves')]),
  ]
}

/** For what is done to one link at a time, where nobody brings the organization along. */
export async function countForGroup(
  tx: Transaction<Schema>,
  groupGuid: string,
  counter: Counter,
  at: number,
): Promise<void> {
  const group = await tx
    .selectFrom('groups')
    .select('organization_guid')
    .where('guid', '=', groupGuid)
    .executeTakeFirst()
  if (!group) return
  const row = {
    group_guid: groupGuid,
    name: counter,
    day: dayOf(at),
    organization_guid: group.organization_guid,
    count: 1,
  }
  await addUsage(tx, [row]).execute()
}

type NewUsage = Insertable<Schema['usage']>

function addUsage(db: Kysely<Schema>, rows: readonly NewUsage[]) {
  return db
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['group_guid', 'name', 'day', 'organization_guid'])
        .doUpdateSet((eb) => ({ count: eb('usage.count', '+', eb.ref('excluded.count')) })),
    )
}

function dayOf(at: number): number {
  return at - (at % dayLength)
}
