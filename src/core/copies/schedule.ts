/**
 * Makes a backup regularly and deletes old ones. Whether one is due is read from the names of the backups, which are the
 * times when they began: so a restart makes none too many, and how long one takes does not delay the next. Processes
 * that share a database take turns by a lease.
 */
import { messageOf } from '../../lib/message-of.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { BackupManifest } from './manifest.js'

export interface BackupScheduleDeps extends AuditDeps {
  readonly backups: ScheduledBackups
  /** Runs the work unless another process is already making a backup. */
  readonly alone: (work: () => Promise<void>) => Promise<void>
  readonly onDone: (name: string, manifest: BackupManifest) => void
  readonly onFailure: (error: unknown) => void
}

/** Where scheduled backups are. */
export interface ScheduledBackups {
  /** The complete ones, by name and time, oldest first; those of other names are not among them. */
  list(): Promise<readonly { readonly name: string; readonly finishedAt: number }[]>
  make(name: string): Promise<BackupManifest>
  remove(name: string): Promise<void>
  /** What interrupted backups left. */
  removeUnfinished(): Promise<void>
}

export interface ScheduleRules {
  /** Milliseconds from the beginning of a backup to that of the next. */
  readonly every: number
  /** Milliseconds after midnight, UTC: they begin at this time, and at every multiple of `every` before and after it. */
  readonly at?: number | undefined
  /** How many are kept. */
  readonly keep: number
}

export interface BackupStatus {
  /** The end of the last complete backup; undefined: none is known. */
  readonly lastAt: number | undefined
  readonly failures: number
  /** Why the last one failed; undefined after one that did not. */
  readonly lastFailure: string | undefined
}

/** Another process may have made one meanwhile, or failed to. */
const checkInterval = 60_000
/** After a failure; sooner if backups are made more often. */
const retryAfter = 15 * 60_000

export class BackupSchedule {
  readonly #deps: BackupScheduleDeps
  readonly #rules: ScheduleRules
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #closed = false
  #retryAt = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY
  #dueAt = Number.NEGATIVE_INFINITY
  #status: BackupStatus = { lastAt: undefined, failures: 0, lastFailure: undefined }

  constructor(deps: BackupScheduleDeps, rules: ScheduleRules) {
    this.#deps = deps
    this.#rules = rules
  }

  start(): void {
    void this.check().then(() => {
      if (!this.#closed) this.#timer = setTimeout(() => this.start(), this.untilNext).unref()
    })
  }

  /** Milliseconds until it is worth looking again. */
  get untilNext(): number {
    const waiting = this.#dueAt - this.#deps.clock.now()
    return waiting > 0 ? Math.min(waiting, checkInterval) : checkInterval
  }

  get status(): BackupStatus {
    return this.#status
  }

  /** Makes a backup if one is due. Never rejects. */
  check(): Promise<void> {
    this.#running ??= this.#check().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #check(): Promise<void> {
    const { alone, clock, onFailure } = this.#deps
    try {
      if (clock.now() < this.#retryAt || !(await this.#isDue())) return
      await alone(async () => {
        // Another process may just have made one.
        if (await this.#isDue()) await this.#make()
      })
    } catch (error) {
      if (this.#closed) return
      const reason = messageOf(error)
      this.#failedAt = clock.now()
      this.#retryAt = this.#failedAt + Math.min(retryAfter, this.#rules.every)
      this.#status = { ...this.#status, failures: this.#status.failures + 1, lastFailure: reason }
      onFailure(error)
      await this.#audit('backup_failed', undefined, { reason: reason.slice(0, 200) })
    }
  }

  async #isDue(): Promise<boolean> {
    const last = (await this.#deps.backups.list()).at(-1)
    if (!last) return true
    // Another process may have succeeded where this one failed.
    const { lastFailure } = this.#status
    const isOver = last.finishedAt > this.#failedAt
    this.#status = { ...this.#status, lastAt: last.finishedAt, lastFailure: isOver ? undefined : lastFailure }
    this.#dueAt = dueAfter(timeIn(last.name), this.#rules)
    return this.#dueAt <= this.#deps.clock.now()
  }

  async #make(): Promise<void> {
    const { backups, clock, onDone } = this.#deps
    await backups.removeUnfinished()
    const name = nameAt(clock.now())
    const manifest = await backups.make(name)
    this.#dueAt = dueAfter(timeIn(name), this.#rules)
    this.#status = { ...this.#status, lastAt: Date.parse(manifest.finished_at), lastFailure: undefined }
    onDone(name, manifest)
    await this.#audit('backup_made', name, { clicks: String(manifest.counts.clicks) })
    // After the new one is complete, so there are never fewer.
    const all = await backups.list()
    for (const old of all.slice(0, -this.#rules.keep)) await backups.remove(old.name)
  }

  async #audit(
    action: 'backup_made' | 'backup_failed',
    subject: string | undefined,
    details: Readonly<Record<string, string>>,
  ): Promise<void> {
    const entry = { action, login: 'operator', subject, details }
    await addAuditEntry(this.#deps, entry).catch(this.#deps.onFailure)
  }
}

function dueAfter(last: number, { every, at = last }: ScheduleRules): number {
  return at + (Math.floor((last - at) / every) + 1) * every
}

/** `2026-11-16T031500Z`: in order of time, and a name for every file system. */
function nameAt(now: number): string {
  return new Date(now).toISOString().replace(/:|\.\d+/g, '')
}

function timeIn(name: string): number {
  return Date.parse(name.replace(/(\d\d)(\d\d)(\d\d)Z$/, '$1:$2:$3Z'))
}

export const scheduledName = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/
