/** Checks of `serve` before it opens anything, so that problems of the machine get a clear message. */
import { existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.js'
import { environmentFault } from '../lib/environment-fault.js'
import { OperatorError } from '../lib/operator-error.js'

/** Loading modules alone opens 500 files for a moment; each connection needs one more. */
const minOpenFiles = 1024
/** Space for an empty database, an empty click log and the first clicks. */
const minFreeBytes = 32 * 1024 * 1024

export function requireOpenFiles(limits = readIfThere('/proc/self/limits')): void {
  const allowed = Number(/^Max open files +(\d+)/m.exec(limits ?? '')?.[1])
  if (!(allowed < minOpenFiles)) return
  throw new OperatorError(
    `This process may open ${allowed} files, but the service needs ${minOpenFiles}. Raise the limit: "ulimit -n 65536" in a shell, LimitNOFILE= for systemd.`,
  )
}

/**
 * Refuses a data directory that is not writable, or a new one without disk space. An existing service starts on a full
 * disk.
 */
export function requireRoom({ dataDir }: Pick<Config, 'dataDir'>): void {
  const isNew = !existsSync(join(dataDir, 'journal'))
  if (existsSync(dataDir) && statSync(dataDir).isDirectory()) requireWritable(dataDir, isNew)
  const { blocks, bavail, bsize } = statfsSync(nearest(dataDir))
  // A file system without blocks is not a disk; creating the folder will show what is wrong.
  if (!isNew || blocks === 0 || bavail * bsize >= minFreeBytes) return
  throw new OperatorError(
    `The disk of ${dataDir} has ${Math.floor((bavail * bsize) / 1024)} KB free, but a new service needs ${minFreeBytes / 1024 / 1024} MB. Free some space, or choose another data directory with --data-dir.`,
  )
}

function requireWritable(dataDir: string, isNew: boolean): void {
  const probe = join(dataDir, `.probe-${process.pid}`)
  try {
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' && !isNew) return
    throw new OperatorError(
      environmentFault(error) ??
        `Cannot write to the data directory ${dataDir} (${message}). Make the service's user its owner, or choose another with --data-dir.`,
    )
  }
}

/** The directory itself, or the closest parent that exists. */
function nearest(directory: string): string {
  const parent = dirname(directory)
  return existsSync(directory) || parent === directory ? directory : nearest(parent)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
