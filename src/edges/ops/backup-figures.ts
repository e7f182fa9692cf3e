/** What monitoring sees of the backups that the service makes by itself. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { BackupStatus } from '../../core/copies/schedule.js'

/** Undefined: it makes none. */
export type Schedule = { readonly status: BackupStatus } | undefined

export function backupTroubles(schedule: Schedule): readonly string[] {
  const failure = schedule?.status.lastFailure
  return failure === undefined ? [] : [`backups: ${failure}`]
}

export function backupFigures(registry: Registry, schedule: Schedule): void {
  if (!schedule) return
  new Gauge({
    name: 'shortlink_backup_last_timestamp_seconds',
    help: 'When the last complete backup was made; 0: none is known',
    registers: [registry],
    collect() {
      this.set((schedule.status.lastAt ?? 0) / 1000)
    },
  })
  new Counter({
    name: 'shortlink_backup_failures_total',
    help: 'Backups that failed since the start',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(schedule.status.failures)
    },
  })
}
