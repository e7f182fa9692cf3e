/** What `serve` looks at before it opens anything, so that a machine that cannot carry the service is named as such. */
import { existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.js'
import { environmentFault } from '../lib/environment-fault.js'
import { OperatorError } from '../lib/operator-error.js'

/** Modules alone take 500 for a moment; each visitor's connection is one more. */
const fewestOpenFiles = 1024
/** What an empty database, an empty click log and the first clicks need. */
const fewestBytes = 32 * 1024 * 1024

export function requireOpenFiles(limits = readIfThere('/proc/self/limits')): void {
  const allowed = Number(/^Max open files +(\d+)/m.exec(limits ?? '')?.[1])
  if (!(allowed < fewestOpenFiles)) return
  throw new OperatorError(
    `This process may have ${allowed} files open at once, and the service needs ${fewestOpenFiles}. Raise the limit: "ulimit -n 65536" in a shell, LimitNOFILE= for systemd.`,
  )
}

/** A data directory that cannot be written, or a new one on a disk without room. One that is in use starts when it is full. */
export function requireRoom({ dataDir }: Pick<Config, 'dataDir'>): void {
  const isNew = !existsSync(join(dataDir, 'journal'))
  if (existsSync(dataDir) && statSync(dataDir).isDirectory()) requireWritable(dataDir, isNew)
  const { blocks, bavail, bsize } = statfsSync(nearest(dataDir))
  // Without blocks it is no disk, and what is wrong with it shows when the folder is made.
  if (!isNew || blocks === 0 || bavail * bsize >= fewestBytes) return
  throw new OperatorError(
    `The disk of ${dataDir} has ${Math.floor((bavail * bsize) / 1024)} KB free, and a new service needs ${fewestBytes / 1024 / 1024} MB. Free some space, or choose another data directory with --data-dir.`,
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
        `The data directory ${dataDir} cannot be written (${message}). Give it to the user of the service, or choose another with --data-dir.`,
    )
  }
}

/** The directory itself, or the one that it will be made in. */
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
