import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../lib/operator-error.js'

/**
 * Where the running service of a data directory listens for commands. The kernel cuts socket paths at about 107 bytes
 * (103 on macOS): a data directory deeper than that gets a folder of its own, named by its hash, in the system's
 * temporary directory, so that service and command find the same place without telling each other.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(path) <= 100) return path
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `shortlink-${name}`, 'control.sock')
}

/** In a temporary directory anybody may have made the folder first, to be handed passwords: it has to be ours. */
export async function requireOwnFolder(socketPath: string): Promise<void> {
  const folder = dirname(socketPath)
  if (dirname(folder) !== tmpdir()) return
  const { uid } = await lstat(folder)
  if (uid !== process.getuid?.()) {
    throw new OperatorError(`${folder} belongs to another user. Run this as that user or choose another --data-dir.`)
  }
}
