import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../lib/operator-error.js'

/**
 * Path of the control socket of a data directory. The kernel limits socket paths to about 107 bytes (103 on macOS): for
 * a longer path, service and command use the same folder, named by a hash, in the system's temporary directory.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(path) <= 100) return path
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `shortlink-${name}`, 'control.sock')
}

/** In a temporary directory another user may have created the folder first, to capture passwords: it must be ours. */
export async function requireOwnFolder(socketPath: string): Promise<void> {
  const folder = dirname(socketPath)
  if (dirname(folder) !== tmpdir()) return
  const { uid } = await lstat(folder)
  if (uid !== process.getuid?.()) {
    throw new OperatorError(`${folder} belongs to another user. Run this as that user or choose another --data-dir.`)
  }
}
