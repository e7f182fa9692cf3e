/** How old the newest backup is, of those that the service makes by itself. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.js'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { type FoundBackup, listBackups } from '../../storage/copies/open-copy.js'
import { isStoreUrl, s3Backups } from '../../storage/copies/s3.js'

const area = 'backups'
const hour = 3_600_000

export async function examineBackups(
  { backupTo, backupEvery, dataDir }: Pick<Config, 'backupTo' | 'backupEvery' | 'dataDir'>,
  now: number,
): Promise<Finding[]> {
  if (backupTo === undefined) {
    return [
      warning(
        area,
        'The service makes no backups by itself.',
        'Set --backup-to, or run "shortlink backup" from a timer (docs/backup.md).',
      ),
    ]
  }
  // The URL has a password.
  const place = isStoreUrl(backupTo) ? new URL(backupTo).host : backupTo
  const newest = await newestBackup({ backupTo })
  const finished = newest && Date.parse(newest.finishedAt)
  return [judgeBackups(finished, { place, backupEvery, now }), ...sameDisk(backupTo, dataDir)]
}

/** Of those in `backupTo`; `target` is what `restore` takes. */
export async function newestBackup({
  backupTo,
}: Pick<Config, 'backupTo'>): Promise<{ readonly target: string; readonly finishedAt: string } | undefined> {
  if (backupTo === undefined) return undefined
  const isInStore = isStoreUrl(backupTo)
  const backups = isInStore ? await listStore(backupTo) : isFolder(backupTo) ? await listBackups(backupTo) : []
  return backups
    .flatMap(({ name, manifest }) =>
      manifest ? [{ target: isInStore ? `s3:${name}` : join(backupTo, name), finishedAt: manifest.finished_at }] : [],
    )
    .toSorted((one, other) => Date.parse(one.finishedAt) - Date.parse(other.finishedAt))
    .at(-1)
}

async function listStore(url: string): Promise<readonly Pick<FoundBackup, 'name' | 'manifest'>[]> {
  const { s3Blobs } = await import('../../storage/blobs/s3-blobs.js')
  return s3Backups(s3Blobs(url)).list()
}

interface BackupRules {
  readonly place: string
  readonly backupEvery: number
  readonly now: number
}

/** `newest`: when it was finished. One that is missing may still be under way; several are not. */
export function judgeBackups(newest: number | undefined, { place, backupEvery, now }: BackupRules): Finding {
  const remedy = 'Look for the reason in /readyz or in the log, and run "shortlink backup" by hand.'
  if (newest === undefined) return warning(area, `There is no backup in ${place} yet.`, remedy)
  const age = now - newest
  const message = `The newest backup in ${place} is ${Math.floor(age / hour)} hours old.`
  if (age > 7 * backupEvery) return wrong(area, message, remedy)
  return age > 2 * backupEvery ? warning(area, message, remedy) : ok(area, message)
}

/** A disk that fails would take both. */
function sameDisk(backupTo: string, dataDir: string): Finding[] {
  if (!isFolder(backupTo) || !isFolder(dataDir) || statSync(backupTo).dev !== statSync(dataDir).dev) return []
  return [
    warning(
      area,
      `${backupTo} is on the disk of the data directory.`,
      'Copy the backups to another machine, or mount another disk there.',
    ),
  ]
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
