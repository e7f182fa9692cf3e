/** Keywords and their history, in the caller's transaction. All code locks in this order: link, address, history. */
import type { Transaction } from 'kysely'
import type { ChangeContext } from '../../../core/links/link.js'
import type { KeywordAdded, KeywordHolder } from '../../../core/links/link-store.js'
import { newGuid } from '../../../core/values/guid.js'
import { chunks } from '../../../lib/chunks.js'
import { changesRow, LostRace } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, insertRows } from '../steps/rows.js'
import { repointCodes } from './codes-of-links.js'

/** Points a new address at a link. After any outcome but `done`, the caller must roll back. */
export async function insertKeyword(
  tx: Transaction<Schema>,
  address: string,
  linkId: string,
  context: ChangeContext,
): Promise<InsertedKeyword> {
  const link = await addTo(tx, linkId, context)
  if (!link) return { outcome: 'no-link' }
  const inserted = await tx
    .insertInto('addresses')
    .values({ address, kind: 'keyword', link_id: linkId, long_url_key: null, created_at: context.at })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .returning('address')
    .executeTakeFirst()
  if (!inserted) {
    const { kind, linkId: heldBy, ...holder } = await holderOf(tx, address)
    return kind === 'keyword' && heldBy === linkId ? { outcome: 'held' } : { outcome: 'taken', holder }
  }
  await addHistory(tx, { address, linkId, ...link }, context, context.at)
  return { outcome: 'done', groupGuid: link.groupGuid }
}

/** A keyword of a link that this transaction created. */
export interface NewKeyword {
  readonly address: string
  readonly linkId: string
  readonly groupGuid: string
  readonly longUrl: string
  readonly context: ChangeContext
}

/** Points free addresses at new links, which are written as edited and with a keyword already. */
export async function insertNewKeywords(tx: Transaction<Schema>, keywords: readonly NewKeyword[]): Promise<void> {
  for (const some of chunks(keywords, rowsAtOnce)) {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('addresses')
      .values(
        some.map(({ address, linkId, context }) => ({
          address,
          kind: 'keyword' as const,
          link_id: linkId,
          long_url_key: null,
          created_at: context.at,
        })),
      )
      .onConflict((conflict) => conflict.column('address').doNothing())
      .executeTakeFirstOrThrow()
    if (Number(numInsertedOrUpdatedRows) !== some.length) throw new LostRace('a keyword was taken concurrently')
    await insertRows(
      tx,
      'keyword_history',
      some.map((keyword) => historyRow(keyword, keyword.context, keyword.context.at)),
    )
  }
}

const rowsAtOnce = 100

/** Who holds these addresses; those that are free are left out. */
export async function holdersOf(
  tx: Transaction<Schema>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, KeywordHolder>> {
  const holders = new Map<string, KeywordHolder>()
  for (const some of chunks(addresses, rowsAtOnce)) {
    const rows = await tx
      .selectFrom('addresses')
      .leftJoin('links', 'links.id', 'addresses.link_id')
      .select(['addresses.address', 'links.group_guid'])
      .where('addresses.address', 'in', some)
      .execute()
    for (const { address, group_guid } of rows) holders.set(address, { groupGuid: group_guid ?? undefined })
  }
  return holders
}

/** With the group that has it now. `held`: the link already has it. */
type InsertedKeyword =
  | Exclude<KeywordAdded, { readonly outcome: 'done' }>
  | { readonly outcome: 'held' }
  | { readonly outcome: 'done'; readonly groupGuid: string }

/** Points a keyword at another link. */
export async function repointKeyword(
  tx: Transaction<Schema>,
  address: string,
  linkId: string,
  context: ChangeContext,
): Promise<RepointedKeyword> {
  const keyword = await findRow(tx, 'addresses', { address, kind: 'keyword' }, ['link_id'])
  if (!keyword?.link_id) return { outcome: 'no-keyword' }
  if (keyword.link_id === linkId) return { outcome: 'moved', links: [] }
  const isOfSite = await tx
    .selectFrom('links')
    .select('id')
    .where('id', '=', keyword.link_id)
    .where('site_guid', 'is not', null)
    .executeTakeFirst()
  if (isOfSite) return { outcome: 'no-keyword' }

  // Lock both links in a fixed order, so that a concurrent change of a destination happens before or after all of
  // this.
  let target: EditedLink | undefined
  for (const id of [keyword.link_id, linkId].sort()) {
    if (id === linkId) target = await addTo(tx, id, context)
    else await takeFrom(tx, id, context)
  }
  if (!target) return { outcome: 'no-link' }
  const updated = await changesRow(
    tx
      .updateTable('addresses')
      // This time orders the keywords of a link, newest first.
      .set({ link_id: linkId, created_at: context.at })
      .where('address', '=', address)
      .where('link_id', '=', keyword.link_id),
  )
  if (!updated) throw new LostRace(`the keyword ${address} was moved concurrently`)
  await repointCodes(tx, address, keyword.link_id, linkId)
  const [ended] = await endHistory(tx, [address], keyword.link_id, context)
  const at = ended?.deactivated_at ?? context.at
  await addHistory(tx, { address, linkId, ...target }, { ...context, at }, ended?.first_created_at ?? context.at)
  return { outcome: 'moved', links: [keyword.link_id, linkId] }
}

/** With the links that this changed; none if it was there already. */
type RepointedKeyword =
  | { readonly outcome: 'no-keyword' | 'no-link' }
  | { readonly outcome: 'moved'; readonly links: readonly string[] }

/** Records in the history that the keywords of a link now lead to its new destination. */
export async function redirectKeywords(
  tx: Transaction<Schema>,
  linkId: string,
  longUrl: string,
  context: ChangeContext,
): Promise<void> {
  const keywords = await tx
    .selectFrom('addresses')
    .select('address')
    .where('link_id', '=', linkId)
    .where('kind', '=', 'keyword')
    .execute()
  if (keywords.length === 0) return
  const addresses = keywords.map(({ address }) => address)
  for (const ended of await endHistory(tx, addresses, linkId, context)) {
    const { address, group_guid: groupGuid, first_created_at: firstCreatedAt } = ended
    const at = ended.deactivated_at ?? context.at
    await addHistory(tx, { address, linkId, groupGuid, longUrl }, { ...context, at }, firstCreatedAt)
  }
}

interface EditedLink {
  readonly groupGuid: string
  readonly longUrl: string
}

/** A link that gets a keyword counts as edited. */
async function addTo(tx: Transaction<Schema>, linkId: string, { at }: ChangeContext): Promise<EditedLink | undefined> {
  return tx
    .updateTable('links')
    .set(({ eb }) => ({ edited_at: at, modified_at: at, keyword_count: eb('keyword_count', '+', 1) }))
    .where('id', '=', linkId)
    .where('deleted_at', 'is', null)
    .returning(['group_guid as groupGuid', 'long_url as longUrl'])
    .executeTakeFirst()
}

async function takeFrom(tx: Transaction<Schema>, linkId: string, { at }: ChangeContext): Promise<void> {
  await tx
    .updateTable('links')
    .set(({ eb }) => ({ modified_at: at, keyword_count: eb('keyword_count', '-', 1) }))
    .where('id', '=', linkId)
    .execute()
}

async function holderOf(tx: Transaction<Schema>, address: string) {
  const holder = await tx
    .selectFrom('addresses')
    .leftJoin('links', 'links.id', 'addresses.link_id')
    .select(['addresses.kind', 'addresses.link_id', 'links.group_guid'])
    .where('addresses.address', '=', address)
    .executeTakeFirst()
  if (!holder) throw new LostRace(`the address ${address} became free concurrently`)
  return { kind: holder.kind, linkId: holder.link_id, groupGuid: holder.group_guid ?? undefined }
}

/** An entry never ends before it began, even if this process's clock is behind or it waited for the lock. */
function endHistory(tx: Transaction<Schema>, addresses: readonly string[], linkId: string, { at }: ChangeContext) {
  return tx
    .updateTable('keyword_history')
    .set(({ case: when, ref, val }) => ({
      deactivated_at: when().when('created_at', '>', at).then(ref('created_at')).else(val(at)).end(),
    }))
    .where('address', 'in', addresses)
    .where('link_id', '=', linkId)
    .where('deactivated_at', 'is', null)
    .returning(['address', 'group_guid', 'first_created_at', 'deactivated_at'])
    .execute()
}

async function addHistory(
  tx: Transaction<Schema>,
  keyword: EditedLink & { readonly address: string; readonly linkId: string },
  context: ChangeContext,
  firstCreatedAt: number,
): Promise<void> {
  await insertRows(tx, 'keyword_history', historyRow(keyword, context, firstCreatedAt))
}

function historyRow(
  keyword: EditedLink & { readonly address: string; readonly linkId: string },
  context: ChangeContext,
  firstCreatedAt: number,
) {
  return {
    guid: newGuid('keyword'),
    address: keyword.address,
    link_id: keyword.linkId,
    group_guid: keyword.groupGuid,
    login: context.login,
    long_url: keyword.longUrl,
    created_at: context.at,
    first_created_at: firstCreatedAt,
    deactivated_at: null,
  }
}
