/** Opens the click log of the configuration: DuckDB in the data directory, or ClickHouse. */
import { join } from 'node:path'
import type { StoredClickLog } from '../../core/clicks/click-log.js'
import { requireUsable } from '../../core/clicks/move-state.js'
import type { ClickThreadOptions } from './click-thread.js'

export type ClickLogPlace = Pick<
  ClickThreadOptions,
  'dataDir' | 'clickRetention' | 'memoryLimit' | 'clickhouseUrl' | 'clickhouseCluster' | 'clickhouseInsertQuorum'
>

/** `onUpgrade` gets the path of a copy from before an upgrade. */
export async function openClickLog(
  place: ClickLogPlace,
  onUpgrade: (copy: string) => void = () => {},
): Promise<StoredClickLog> {
  const log = await openAnyClickLog(place, onUpgrade)
  try {
    await requireUsable(log)
    return log
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Also one that is being filled or was left by a move. */
export async function openAnyClickLog(
  { dataDir, clickRetention: retentionDays, memoryLimit, ...place }: ClickLogPlace,
  onUpgrade: (copy: string) => void = () => {},
): Promise<StoredClickLog> {
  const { clickhouseUrl, clickhouseCluster: cluster, clickhouseInsertQuorum: insertQuorum = 0 } = place
  // Loaded when needed: DuckDB takes 50 MB of memory.
  if (clickhouseUrl === undefined) {
    const { openDuckdbClickLog } = await import('../../storage/duckdb/click-log.js')
    const { copyBeforeUpgrade, wayBack } = await import('../../storage/copies/before-upgrade.js')
    return openDuckdbClickLog(join(dataDir, 'clicks.duckdb'), {
      retentionDays,
      memoryLimit,
      wayBack: () => wayBack(dataDir),
      beforeUpgrade: (version) => onUpgrade(copyBeforeUpgrade(dataDir, 'clicks.duckdb', `clicks-${version}`)),
    })
  }
  const [{ openClickhouseClickLog }, { httpSession }] = await Promise.all([
    import('../../storage/clickhouse/click-log.js'),
    import('../../storage/clickhouse/http-session.js'),
  ])
  return openClickhouseClickLog(httpSession(clickhouseUrl, { watch: true, insertQuorum }), { retentionDays, cluster })
}
