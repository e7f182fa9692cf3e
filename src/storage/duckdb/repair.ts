/**
 * Repairs a click log that cannot be opened or read, and always keeps a copy of the damaged file. If the end of the
 * write-ahead log is damaged, only the last writes are lost: DuckDB reports where the damage begins, and the log is cut
 * there. If the file itself is unreadable, a new one is created.
 */
import { existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { openDuckdbClickLog, readWhole } from './click-log.js'
import { damagedEntryAt, isForbidden } from './failures.js'

export type Repaired =
  /** Not damaged; nothing was changed. */
  | { readonly outcome: 'intact' }
  /** `lost`: unreadable bytes of the write-ahead log. */
  | { readonly outcome: 'repaired'; readonly kept: string; readonly lost: number }
  /** The next start creates a new file. */
  | { readonly outcome: 'replaced'; readonly kept: string; readonly reason: string }

export async function repairDuckdbClickLog(file: string, now: Date): Promise<Repaired> {
  if (!existsSync(file) || (await troubleWith(file)) === undefined) return { outcome: 'intact' }
  const kept = `${file}.damaged-${now.toISOString().replaceAll(/[:.]/g, '-')}`
  const mending = `${file}.mending`
  const whole = sizeOf(walOf(file))
  try {
    for (const folder of [kept, mending]) {
      await mkdir(folder)
      for (const each of [file, walOf(file)]) if (existsSync(each)) await copyFile(each, join(folder, basename(each)))
    }
    const copy = join(mending, basename(file))
    const { reason, wal } = await repairWal(copy)
    if (reason !== undefined) {
      for (const each of [walOf(file), file]) rmSync(each, { force: true })
      return { outcome: 'replaced', kept, reason: reason.split('\n', 1)[0] ?? reason }
    }
    // Reading closed the log afterwards, so the write-ahead log is merged into the file.
    rmSync(walOf(file), { force: true })
    renameSync(copy, file)
    return { outcome: 'repaired', kept, lost: whole - wal }
  } finally {
    rmSync(mending, { recursive: true, force: true })
  }
}

/** Truncates the write-ahead log at the damage until the rest is readable. Returns its usable length. */
async function repairWal(file: string): Promise<{ reason: string | undefined; wal: number }> {
  const wal = walOf(file)
  for (let left = sizeOf(wal); ; left = sizeOf(wal)) {
    const trouble = await troubleWith(file)
    if (trouble === undefined) return { reason: undefined, wal: left }
    if (left === 0) return { reason: trouble, wal: 0 }
    const cut = (damagedEntryAt(trouble) ?? 0) - entryHead
    if (cut > 0 && cut < left) truncateSync(wal, cut)
    else rmSync(wal)
  }
}

/** Why the log cannot be opened or completely read; undefined when it can. */
async function troubleWith(file: string): Promise<string | undefined> {
  try {
    await readWhole(file)
    const log = await openDuckdbClickLog(file)
    await log.close()
    return undefined
  } catch (error) {
    // Locked by another process or written by a newer version: not damaged.
    if (error instanceof OperatorError && !(error instanceof UnavailableError)) throw error
    if (isForbidden(error)) throw error
    // The message of an UnavailableError advises this very command.
    const { message, cause } = error as Error
    return cause instanceof Error ? cause.message : message
  }
}

/** An entry starts with its size and checksum; the position DuckDB reports is after them. */
const entryHead = 16

function walOf(file: string): string {
  return `${file}.wal`
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
