/** The click log of ClickHouse from a backup, loaded into a database without clicks. */
import { filesIn, nameOf } from '../../core/copies/copy.js'
import { beginRestore, finishRestore, loadPart } from '../clickhouse/copy.js'
import { migrate, tablesOf } from '../clickhouse/schema.js'
import type { ClickhouseSession } from '../clickhouse/session.js'
import type { RestoredStore } from './empty-place.js'

export function restoredClickhouseClicks(
  session: ClickhouseSession,
  cluster: string | undefined,
): RestoredStore<[onPart: (done: number) => void]> {
  const tables = tablesOf(session.database, cluster)
  return {
    async begin() {
      await migrate(session, cluster)
      await beginRestore(session, tables, cluster)
    },
    async restore(backup, _folder, onPart) {
      for (const [index, file] of filesIn(backup.manifest, 'clicks').entries()) {
        onPart(index)
        await backup.withFile(file, (path) => loadPart(session, tables, nameOf(file), path))
      }
      const [row] = await session.query(`SELECT sum(n) FROM ${tables.clicks}`)
      const { clicks } = backup.manifest.counts
      if (Number(row?.[0] ?? 0) !== clicks) throw new Error(`${Number(row?.[0])} of ${clicks} clicks were restored`)
    },
    finish: () => finishRestore(session),
  }
}
