import type { RecordCopy } from '../../core/backups/make-backup.js'

/** What a backup needs to know of the records that it copied. */
export async function recordFacts(
  query: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<Omit<RecordCopy, 'files'>> {
  const count = async (table: string) => Number((await query(`select count(*) as n from ${table}`))[0]?.n ?? 0)
  const images = await query('select blob_key as key from image_blobs')
  const jobs = await query('select parts from bulk_jobs')
  const keys = [
    ...images.map(({ key }) => String(key)),
    ...jobs.flatMap(({ parts }) => JSON.parse(String(parts)) as string[]),
  ]
  return { counts: { links: await count('links'), users: await count('users') }, blobKeys: [...new Set(keys)].sort() }
}
