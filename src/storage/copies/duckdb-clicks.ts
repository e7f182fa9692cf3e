/** The click log of DuckDB from a backup. */
import { join } from 'node:path'
import { filesIn, nameOf } from '../../core/copies/copy.js'
import { restoreDuckdbClickLog } from '../duckdb/click-log.js'
import type { RestoredStore } from './empty-place.js'

export const restoredDuckdbClicks: RestoredStore<[onPart: (done: number) => void]> = {
  async restore(backup, folder, onPart) {
    await restoreDuckdbClickLog(join(folder, 'clicks.duckdb'), async (load) => {
      for (const [index, file] of filesIn(backup.manifest, 'clicks').entries()) {
        onPart(index)
        await backup.withFile(file, (path) => load({ name: nameOf(file), rows: file.rows ?? 0 }, path))
      }
    })
  },
}
