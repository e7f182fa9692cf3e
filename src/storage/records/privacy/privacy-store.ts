/** Deletes people from the records. What each method promises: core/privacy/privacy-store.ts. */
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { exportActions } from '../../../core/bulk/job.js'
import type { FieldsOfChange } from '../../../core/links/history-entry.js'
import type {
  ForgetOptions,
  ForgetUser,
  ForgottenLink,
  ForgottenUser,
  PrivacyStore,
} from '../../../core/privacy/privacy-store.js'
import { type Block, linkIdsOf, type SiteDocument } from '../../../core/sites/site.js'
import { parseUrl } from '../../../lib/parse-url.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { columnsOf, namesOf, type TableName, tableNames } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'
import { removeUser } from '../accounts/users.js'
import { removeJob } from '../bulk/job-store.js'
import { dropUnusedDetails } from '../links/write-tags.js'
import { setUses } from '../sites/site-uses.js'

export function sqlPrivacyStore(db: Kysely<Schema>, transact: Transact, announce: Announce): PrivacyStore {
  return {
    async saltOf(day) {
      const row = await db.selectFrom('visitor_salts').select('salt').where('day', '=', day).executeTakeFirst()
      return row?.salt
    },
    forgetUser: (login, as) => undoneIf(as.dryRun, transact, (tx) => forgetUser(tx, login, as)),
    forgetLink: (address, as) => undoneIf(as.dryRun, transact, (tx) => forgetLink(tx, address, as, announce)),
  }
}

/** A dry run does everything and rolls it back: so it reports exactly what would happen. */
async function undoneIf<T>(
  dryRun: boolean,
  transact: Transact,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  if (!dryRun) return transact(work, 'serializable')
  try {
    return await transact(async (tx) => {
      throw new Undone(await work(tx))
    }, 'serializable')
  } catch (error) {
    if (error instanceof Undone) return error.result as T
    throw error
  }
}

class Undone extends Error {
  constructor(readonly result: unknown) {
    super('a dry run was rolled back')
  }
}

/** Counts the rows that statements changed. */
class Counted {
  readonly rows: Record<string, number> = {}

  constructor(readonly tx: Transaction<Schema>) {}

  async run(table: string, statement: RawBuilder<unknown>): Promise<void> {
    const { numAffectedRows } = await statement.execute(this.tx)
    const count = Number(numAffectedRows ?? 0)
    if (count > 0) this.rows[table] = (this.rows[table] ?? 0) + count
  }
}

/** Columns that name a user who may be gone. */
const namingColumns = tableNames.flatMap((table) =>
  namesOf(table, ({ namesUser }) => namesUser).map((column) => [table, column] as const),
)

async function forgetUser(
  tx: Transaction<Schema>,
  login: string,
  { pseudonym, at }: ForgetUser,
): Promise<ForgottenUser> {
  const counted = new Counted(tx)
  const user = await tx.selectFrom('users').select('email').where('login', '=', login).executeTakeFirst()
  if (user) {
    const removed = await removeUser(tx, login, at)
    if (removed.outcome === 'last-admin') return removed
    counted.rows.users = 1
  }
  // Files with links name their creators.
  const made = sql`action = 'export_links' and group_guid in (select group_guid from links where created_by = ${login})`
  await forgetExports(counted, made, at)
  for (const [table, column] of namingColumns) {
    const name = sql.ref(column)
    await counted.run(table, sql`update ${sql.table(table)} set ${name} = ${pseudonym} where ${name} = ${login}`)
  }
  // With its texts, which may contain the email address, and the IP address of sign-ins.
  await counted.run(
    'audit_log',
    sql`update audit_log set login = case when login = ${login} then ${pseudonym} else login end,
      account = case when account = ${login} then ${pseudonym} else account end,
      subject = case when subject = ${login} then null else subject end, address = null, details = '{}'
      where login = ${login} or account = ${login}`,
  )
  const email = user?.email
  if (email) {
    await counted.run('invitations', sql`delete from invitations where lower(email) = lower(${email})`)
    await counted.run(
      'audit_log',
      sql`update audit_log set subject = null, details = '{}', address = null
        where lower(subject) = lower(${email}) or replace(lower(details), ${`"${email.toLowerCase()}"`}, '') <> lower(details)`,
    )
  }
  await forgetEvents(counted, [`"${login}"`])
  // Nothing names the login any more, so somebody else may have it.
  await counted.run('removed_users', sql`delete from removed_users where login = ${login}`)
  return Object.keys(counted.rows).length === 0 ? { outcome: 'no-user' } : { outcome: 'forgotten', rows: counted.rows }
}

async function forgetLink(
  tx: Transaction<Schema>,
  address: string,
  { at }: ForgetOptions,
  announce: Announce,
): Promise<ForgottenLink | undefined> {
  const found = await tx.selectFrom('addresses').select('link_id').where('address', '=', address).executeTakeFirst()
  const id = found?.link_id
  if (id === null || id === undefined) return undefined
  const link = await tx.selectFrom('links').select(['group_guid', 'site_guid']).where('id', '=', id).executeTakeFirst()
  if (!link) return undefined
  const keywords = await tx.selectFrom('addresses').select('address').where('link_id', '=', id).execute()
  const addresses = [...new Set([id, ...keywords.map((row) => row.address)])].sort()
  const groupGuid = link.group_guid
  const counted = new Counted(tx)

  const codes = (await tx.selectFrom('qr_codes').select('id').where('link_id', '=', id).execute()).map((row) => row.id)
  await forgetTags(counted, { table: 'link_tags', column: 'link_id', ids: [id], type: 'shortlink', groupGuid })
  await forgetTags(counted, { table: 'qr_code_tags', column: 'code_id', ids: codes, type: 'qr_code', groupGuid })
  await forgetIcons(counted, id)
  await counted.run(
    'links',
    sql`update links set ${emptied('links')}, modified_at = ${at}, deleted_at = coalesce(deleted_at, ${at})
      where id = ${id}`,
  )
  await counted.run(
    'keyword_history',
    sql`update keyword_history set ${emptied('keyword_history')} where link_id = ${id}`,
  )
  await counted.run('link_history', sql`delete from link_history where link_id = ${id}`)
  if (link.site_guid !== null) await forgetSite(counted, link.site_guid)
  await forgetBlocks(counted, id, announce)
  await counted.run('link_deeplinks', sql`delete from link_deeplinks where link_id = ${id}`)
  await counted.run('channel_links', sql`delete from channel_links where link_id = ${id}`)
  await counted.run(
    'qr_code_images',
    sql`delete from qr_code_images where qr_code_id in (select id from qr_codes where link_id = ${id})`,
  )
  await counted.run(
    'qr_codes',
    sql`update qr_codes set ${emptied('qr_codes')}, deleted_at = coalesce(deleted_at, ${at}) where link_id = ${id}`,
  )
  await forgetExports(counted, sql`group_guid = ${groupGuid}`, at)
  await counted.run('audit_log', sql`update audit_log set details = '{}' where subject in (${sql.join(addresses)})`)
  await forgetEvents(counted, addresses.flatMap(wholeAddress))
  await announce(tx, addresses)
  return { id, addresses, groupGuid, rows: counted.rows }
}

/** The site whose address it is. */
async function forgetSite(counted: Counted, guid: string): Promise<void> {
  await counted.run('sites', sql`update sites set ${emptied('sites')}, status = 'inactive' where guid = ${guid}`)
  await counted.run('site_links', sql`delete from site_links where site_guid = ${guid}`)
  await counted.run('site_images', sql`delete from site_images where site_guid = ${guid}`)
}

/** On sites: what was written there was written for the link. */
async function forgetBlocks(counted: Counted, id: string, announce: Announce): Promise<void> {
  const { tx } = counted
  const rows = await tx.selectFrom('site_links').select('site_guid').where('link_id', '=', id).execute()
  const isOther = (block: Block) => !linkIdsOf(block).includes(id)
  for (const { site_guid: guid } of rows) {
    const site = await tx.selectFrom('sites').selectAll().where('guid', '=', guid).executeTakeFirst()
    if (!site) continue
    const without = (json: string): SiteDocument => {
      const document = JSON.parse(json) as SiteDocument
      return { ...document, blocks: document.blocks.filter(isOther) }
    }
    const draft = without(site.draft)
    const live = site.live === null ? undefined : without(site.live)
    const written = { draft: JSON.stringify(draft), live: live ? JSON.stringify(live) : null }
    await counted.run(
      'sites',
      sql`update sites set draft = ${written.draft}, live = ${written.live} where guid = ${guid}`,
    )
    // Images, and other links of the same business cards.
    await setUses(tx, { guid, draft, live })
    await announce(tx, [site.link_id, site.address])
  }
  await counted.run('site_links', sql`delete from site_links where link_id = ${id}`)
}

/** Of all sites that it led to. Other links to them get the icon back with a link that is created a day later or more. */
async function forgetIcons(counted: Counted, id: string): Promise<void> {
  const { tx } = counted
  const now = await tx.selectFrom('links').select('long_url').where('id', '=', id).execute()
  const keywords = await tx.selectFrom('keyword_history').select('long_url').where('link_id', '=', id).execute()
  const history = await tx.selectFrom('link_history').select('before').where('link_id', '=', id).execute()
  const before = history.map((row) => (JSON.parse(row.before) as FieldsOfChange).longUrl)
  const urls = [...now.map((row) => row.long_url), ...keywords.map((row) => row.long_url), ...before]
  const hosts = new Set(urls.flatMap((url) => parseUrl(url ?? '')?.host ?? []))
  for (const host of hosts) await counted.run('site_icons', sql`delete from site_icons where host = ${host}`)
}

/** Without all that the row says about its link. */
function emptied(table: TableName): RawBuilder<unknown> {
  const columns = columnsOf(table).filter(({ forgotten }) => forgotten !== undefined)
  return sql.join(columns.map(({ name, forgotten }) => sql`${sql.ref(name)} = ${forgotten}`))
}

interface Tagged {
  readonly table: 'link_tags' | 'qr_code_tags'
  readonly column: 'link_id' | 'code_id'
  readonly ids: readonly string[]
  readonly type: 'shortlink' | 'qr_code'
  readonly groupGuid: string
}

/** Also from the counts of the group's tags. */
async function forgetTags(counted: Counted, { table, column, ids, type, groupGuid }: Tagged): Promise<void> {
  const { tx } = counted
  for (const id of ids) {
    const { rows } = await sql<{ tag: string }>`
      select tag from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(tx)
    for (const { tag } of rows) {
      const own = sql`group_guid = ${groupGuid} and type = ${type} and tag = ${tag}`
      await sql`update group_tags set uses = uses - 1 where ${own}`.execute(tx)
      await sql`delete from group_tags where ${own} and uses <= 0`.execute(tx)
    }
    await counted.run(table, sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${id}`)
  }
  if (ids.length === 0) return
  await sql`update group_tag_totals set total =
    (select count(*) from group_tags where group_guid = ${groupGuid} and type = ${type})
    where group_guid = ${groupGuid} and type = ${type}`.execute(tx)
  await dropUnusedDetails(tx, groupGuid)
}

/** Their files cannot be searched; whoever needs one exports again. */
async function forgetExports({ tx, rows }: Counted, which: RawBuilder<unknown>, at: number): Promise<void> {
  const found = await tx
    .selectFrom('bulk_jobs')
    .select('guid')
    .where('action', 'in', exportActions)
    .where(sql<SqlBool>`${which}`)
    .execute()
  for (const { guid } of found) await removeJob(tx, guid, at)
  if (found.length > 0) rows.bulk_jobs = (rows.bulk_jobs ?? 0) + found.length
}

/** As JSON has them, as a text or in a URL; not the beginning of a longer address. */
function wholeAddress(address: string): readonly string[] {
  return ['"', '/'].flatMap((start) => ['"', '\\', '?', '#'].map((end) => `${start}${address}${end}`))
}

/** Requests to receivers, events that wait, and results of jobs: they repeat what was changed. */
async function forgetEvents(counted: Counted, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    // Payloads are JSON inside JSON in the log of requests, so their quotes are escaped there.
    const nested = JSON.stringify(text).slice(1, -1)
    await counted.run(
      'webhook_deliveries',
      sql`delete from webhook_deliveries where ${contains('events', text)} or ${contains('events', nested)}`,
    )
    await counted.run('webhook_failures', sql`delete from webhook_failures where ${contains('payload', text)}`)
    await counted.run('bulk_results', sql`delete from bulk_results where ${contains('outcomes', text)}`)
    await forgetQueued(counted, text)
  }
}

/** Others in the same row stay, in a new row: a process may be sending the former one. */
async function forgetQueued(counted: Counted, text: string): Promise<void> {
  const { tx } = counted
  const rows = await tx.selectFrom('webhook_queue').selectAll().where(contains('events', text)).execute()
  for (const { id, done, events, ...row } of rows) {
    const left = (JSON.parse(events) as unknown[]).slice(done).filter((each) => !JSON.stringify(each).includes(text))
    await counted.run('webhook_queue', sql`delete from webhook_queue where id = ${id}`)
    if (left.length === 0) continue
    const rest = { ...row, id: `${id}+`, done: 0, events: JSON.stringify(left) }
    await tx.insertInto('webhook_queue').values(rest).execute()
  }
}

/** Unlike LIKE, this minds upper and lower case on both engines. */
function contains(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`replace(${sql.ref(column)}, ${text}, '') <> ${sql.ref(column)}`
}
