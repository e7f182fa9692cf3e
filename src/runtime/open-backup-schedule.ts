/** Starts what makes backups regularly. A part of the composition root. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { ClickCopier } from '../core/clicks/click-copy.js'
import type { ClickStore, LeaseStore } from '../core/clicks/click-store.js'
import { claimLease, HeldLease } from '../core/clicks/lease.js'
import type { BackupManifest } from '../core/copies/manifest.js'
import { BackupSchedule, type BackupScheduleDeps } from '../core/copies/schedule.js'
import type { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { version } from '../lib/version.js'
import { isStoreUrl } from '../storage/copies/s3.js'
import { removeStaged, scheduledBackups } from './stores/open-backups.js'
import type { BackupThreadData, BackupThreadMethods } from './threads/backup-worker.js'
import { runInThread } from './threads/run-in-thread.js'

export interface ScheduleDeps extends Pick<BackupScheduleDeps, 'audit' | 'clock'> {
  readonly clickCopier: ClickCopier
  readonly clickStore: Pick<ClickStore, 'lease'>
}

export function openBackupSchedule(
  config: Config & { readonly backupTo: string },
  log: Logger,
  deps: ScheduleDeps,
  closing: Closing,
): BackupSchedule {
  const { backupTo: folder, backupEvery: every, backupAt: at, backupKeep: keep } = config
  const { dataDir, databaseUrl, clickhouseUrl, clickhouseCluster, s3Url, backupPassphrase } = config
  const stores = { dataDir, databaseUrl, clickhouseUrl, clickhouseCluster, s3Url, backupPassphrase, backupTo: folder }
  const stopping = new AbortController()
  let turn = new AbortController()
  const make = (directory: string) => {
    const signal = AbortSignal.any([stopping.signal, turn.signal])
    const data: BackupThreadData = { config: stores, directory, program: version() }
    const owner: ClickCopier = { copyClicks: (folder, known) => deps.clickCopier.copyClicks(folder, known) }
    // What an ended thread wrote is recognised as unfinished.
    return runInThread<BackupThreadMethods, BackupManifest>({ module: 'backups', data, owner, signal }, (thread) =>
      thread.backUp(),
    )
  }
  const inTurn = (work: () => Promise<void>) => {
    turn = new AbortController()
    return withLease(deps.clickStore.lease('backup'), { dataDir, work, onLost: () => turn.abort(takenOver) })
  }
  const isInStore = isStoreUrl(folder)
  // The URL has a password.
  const place = isInStore ? new URL(folder).host : folder
  const schedule = new BackupSchedule(
    {
      ...deps,
      backups: scheduledBackups(config, make),
      // A database in the data directory has one process.
      alone: databaseUrl === undefined ? (work) => work() : inTurn,
      onDone: (backup, { counts }) => log.info({ backup, place, ...counts }, 'backup made'),
      onFailure: (err) => log.error({ err, place }, 'the backup failed; trying again later'),
    },
    { every, at, keep },
  )
  if (backupPassphrase === undefined) {
    log.warn('backupPassphrase is not set, so backups contain no secrets (docs/backup.md#secrets)')
  }
  closing.add({
    async close() {
      stopping.abort(new Error('The backup was interrupted.'))
      await schedule.close()
    },
  })
  if (isInStore) removeStaged(dataDir)
  schedule.start()
  return schedule
}

const takenOver = new OperatorError(
  'Another process makes the backups now, because this one did not answer for some seconds.',
)

interface Turn {
  readonly dataDir: string
  readonly work: () => Promise<void>
  /** The other process deletes what this one has written: it must stop. */
  readonly onLost: () => void
}

/** Does nothing while another process makes a backup. */
async function withLease(lease: LeaseStore, { dataDir, work, onLost }: Turn): Promise<void> {
  const claim = { id: 'backup', place: `${hostname()}:${resolve(dataDir)}`, holder: randomUUID() }
  const claimed = await claimLease({ lease, wait }, claim)
  if (!('held' in claimed)) return
  const held = new HeldLease(lease, claimed.held, { onLost, releasedRow: () => undefined })
  try {
    await work()
  } finally {
    await held.close()
  }
}
