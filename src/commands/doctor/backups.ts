/** How old the newest backup is, of those that the service makes by itself. */
import { statSync } from 'node:fs'
import type { Config } from '../../config/config.js'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import type { BackupManifest } from '../../core/backups/manifest.js'
import { listBackups } from '../../storage/backups/list-backups.js'
import { isStoreUrl, s3Backups } from '../../storage/backups/s3-backups.js'

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
  const isInStore = isStoreUrl(backupTo)
  // The URL has a password.
  const place = isInStore ? new URL(backupTo).host : backupTo
  const backups = isInStore ? await listStore(backupTo) : isFolder(backupTo) ? await listBackups(backupTo) : []
  const times = backups.flatMap(({ manifest }) => (manifest ? [Date.parse(manifest.finished_at)] : []))
  const newest = times.length > 0 ? Math.max(...times) : undefined
  return [judgeBackups(newest, { place, backupEvery, now }), ...sameDisk(backupTo, dataDir)]
}

async function listStore(url: string): Promise<readonly { readonly manifest: BackupManifest | undefined }[]> {
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
