import type { RecordCopy } from '../../core/copies/make-backup.js'

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>

/** How far clicks of other products were counted, all together. */
export async function countedImports(query: Query): Promise<string> {
  // Milliseconds by themselves: the sum of all times may be too large.
  const [row] = await query(
    `select count(*) as marks, sum(counted) as clicks, sum(counted_until / 1000) as seconds, sum(counted_until % 1000) as rest
    from imported_clicks`,
  )
  return JSON.stringify(Object.values(row ?? {}).map(String))
}

/** What a backup needs to know of the records that it copied. */
export async function recordFacts(query: Query): Promise<Omit<RecordCopy, 'files'>> {
  const count = async (table: string) => Number((await query(`select count(*) as n from ${table}`))[0]?.n ?? 0)
  const images = await query('select blob_key as key from image_blobs')
  const jobs = await query('select parts from bulk_jobs')
  const keys = [
    ...images.map(({ key }) => String(key)),
    ...jobs.flatMap(({ parts }) => JSON.parse(String(parts)) as string[]),
  ]
  return {
    counts: { links: await count('links'), users: await count('users') },
    blobKeys: [...new Set(keys)].sort(),
    countedImports: await countedImports(query),
    // Not that of this program: a newer one may have migrated the database.
    schema: String((await query('select max(name) as name from kysely_migration'))[0]?.name),
  }
}
