/** Only one process at a time imports a file, or from a source. */
import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { LeaseStore } from '../../core/clicks/click-store.js'
import { claimLease, HeldLease } from '../../core/clicks/lease.js'
import { OperatorError } from '../../lib/operator-error.js'

/** Two processes importing the same file would mistake each other's progress for their own. */
export async function holdImport(
  lease: LeaseStore,
  { path, fileId, place }: { readonly path: string; readonly fileId: string; readonly place: string },
  onLost: () => void,
): Promise<HeldLease> {
  const holder = `${processNamespace()} ${process.pid} ${randomUUID()}`
  const claimed = await claimLease(
    { lease, wait },
    { id: fileId, place, holder },
    { isFree: isDead, watchFor: leaseTimeout },
  )
  if ('held' in claimed) return new HeldLease(lease, claimed.held, { onLost, releasedRow: () => undefined })
  throw new OperatorError(
    `${path} is being imported by another process (${claimed.by.place}). Nothing was imported here. ` +
      'Wait until that import is done; it imports the whole file.',
  )
}

/** True only if the holder ran on this machine and its process is gone: no need to watch for heartbeats. */
function isDead({ holder }: { readonly holder: string }): boolean {
  const [namespace, pid] = holder.split(' ')
  if (namespace !== processNamespace()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // Any other error means that the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** The scope of process ids: the machine, or on Linux the container. */
function processNamespace(): string {
  try {
    return `${hostname()}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

/** An import has low priority on a busy processor, and so do its heartbeats. */
const leaseTimeout = 20_000
