/** Whether the data directory is there, is whole, belongs to the user of the service, and is closed to others. */
import { accessSync, constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { isHalfRestored } from '../../storage/copies/empty-place.js'

const area = 'data directory'

export function examineDataDirectory(dataDir: string, uid = process.getuid?.()): Finding[] {
  const folder = statSync(dataDir, { throwIfNoEntry: false })
  if (!folder) {
    const remedy = 'Start the service once to create it, or choose another with --data-dir.'
    return [wrong(area, `${dataDir} does not exist.`, remedy)]
  }
  if (!folder.isDirectory()) return [wrong(area, `${dataDir} is not a directory.`, 'Choose another with --data-dir.')]
  const findings = [
    ...restored(dataDir),
    ...access(dataDir),
    ...privacy(dataDir, folder),
    ...ownership(dataDir, uid),
    ...credentials(dataDir),
  ]
  return findings.length > 0 ? findings : [ok(area, `${dataDir} can be written by its owner alone.`)]
}

function restored(dataDir: string): Finding[] {
  if (!isHalfRestored(dataDir)) return []
  const remedy = 'Run the same "shortlink restore" again. The service does not start before.'
  return [wrong(area, `A backup was being restored into ${dataDir}, and did not finish.`, remedy)]
}

function access(dataDir: string): Finding[] {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const [why, remedy] = reasons[code ?? ''] ?? [
      'cannot be written by this user',
      'Make the user of the service its owner: chown -R.',
    ]
    return [wrong(area, `${dataDir} ${why}.`, remedy)]
  }
}

const reasons: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  EROFS: ['is on a file system that is read-only', 'Make it writable again. The system log says why it is not.'],
  EPERM: ['is marked as immutable', 'chattr -R -i on it lets the service write again.'],
}

/** It holds keys, and the IP addresses of visitors: the mode of the folder counts, not what this user may do. */
function privacy(dataDir: string, folder: Stats): Finding[] {
  if (!isOpen(folder)) return []
  const mode = (folder.mode & 0o777).toString(8).padStart(4, '0')
  const remedy = `chmod -R go= '${dataDir}'`
  if ((folder.mode & 0o022) !== 0) {
    return [wrong(area, `Other users of this machine can replace files in ${dataDir} (its mode is ${mode}).`, remedy)]
  }
  const open = readdirSync(dataDir).filter((name) => isOpen(lstatSync(join(dataDir, name), { throwIfNoEntry: false })))
  if (open.length === 0) {
    return [warning(area, `${dataDir} is open to other users of this machine (its mode is ${mode}).`, remedy)]
  }
  const files = `${open.slice(0, 5).join(', ')}${open.length > 5 ? ` and ${open.length - 5} more` : ''}`
  return [warning(area, `Other users of this machine can read ${files} in ${dataDir}.`, remedy)]
}

function isOpen(entry: Stats | undefined): boolean {
  return process.platform !== 'win32' && entry !== undefined && !entry.isSymbolicLink() && (entry.mode & 0o077) !== 0
}

/** A command that ran as root leaves files that the service cannot write. */
function ownership(dataDir: string, uid: number | undefined): Finding[] {
  if (uid === undefined) return []
  // Root itself can write everything: then the files belong to whoever owns the folder.
  const owner = uid === 0 ? statSync(dataDir).uid : uid
  const foreign = readdirSync(dataDir).filter((name) => {
    const entry = lstatSync(join(dataDir, name), { throwIfNoEntry: false })
    return entry !== undefined && entry.uid !== owner
  })
  if (foreign.length === 0) return []
  const names = foreign.slice(0, 5).join(', ')
  return [wrong(area, `${names} in ${dataDir} belong to another user.`, `chown -R ${owner} '${dataDir}'`)]
}

function credentials(dataDir: string): Finding[] {
  const file = join(dataDir, 'first-credentials.txt')
  if (!statSync(file, { throwIfNoEntry: false })) return []
  return [warning(area, `${file} still holds the first password and token.`, 'Save them elsewhere, then delete it.')]
}
