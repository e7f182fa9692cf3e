/**
 * Saves what can be saved of a click log that cannot be opened, or read. What was there is kept beside it in any case. A
 * damaged end of the write-ahead log costs what was written last: the engine says where the damage begins, and everything
 * before it is good. Where the file itself cannot be read, a new one is begun.
 */
import { existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { openDuckdbClickLog, readWhole } from './click-log.js'
import { damagedEntryAt } from './failures.js'

export type Repaired =
  /** Nothing was wrong, and nothing was changed. */
  | { readonly outcome: 'sound' }
  /** `lost`: bytes of the write-ahead log that could not be read. */
  | { readonly outcome: 'mended'; readonly kept: string; readonly lost: number }
  /** The next start makes a new one. */
  | { readonly outcome: 'begun anew'; readonly kept: string; readonly reason: string }

export async function repairDuckdbClickLog(file: string, now: Date): Promise<Repaired> {
  if (!existsSync(file) || (await troubleWith(file)) === undefined) return { outcome: 'sound' }
  const kept = `${file}.damaged-${now.toISOString().replaceAll(/[:.]/g, '-')}`
  const mending = `${file}.mending`
  const whole = sizeOf(walOf(file))
  try {
    for (const folder of [kept, mending]) {
      await mkdir(folder)
      for (const each of [file, walOf(file)]) if (existsSync(each)) await copyFile(each, join(folder, basename(each)))
    }
    const copy = join(mending, basename(file))
    const { reason, wal } = await mend(copy)
    if (reason !== undefined) {
      for (const each of [walOf(file), file]) rmSync(each, { force: true })
      return { outcome: 'begun anew', kept, reason }
    }
    // The log was closed after it was read, so that nothing of it is outside the file any more.
    rmSync(walOf(file), { force: true })
    renameSync(copy, file)
    return { outcome: 'mended', kept, lost: whole - wal }
  } finally {
    rmSync(mending, { recursive: true, force: true })
  }
}

/** Cuts the write-ahead log off where it is damaged, until the rest can be read. Answers how much of it could be used. */
async function mend(file: string): Promise<{ reason: string | undefined; wal: number }> {
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

/** Why it cannot be opened, or not all of it be read. */
async function troubleWith(file: string): Promise<string | undefined> {
  try {
    await readWhole(file)
    const log = await openDuckdbClickLog(file)
    await log.close()
    return undefined
  } catch (error) {
    // Somebody else has it open, or a newer version made it: that is no damage.
    if (error instanceof OperatorError && !(error instanceof UnavailableError)) throw error
    return (error as Error).message
  }
}

/** Size and checksum stand before an entry, and the position that the engine tells is behind them. */
const entryHead = 16

function walOf(file: string): string {
  return `${file}.wal`
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
