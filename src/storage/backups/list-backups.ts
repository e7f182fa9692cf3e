/** Finds the backups in a folder. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupManifest } from '../../core/backups/manifest.js'
import { OperatorError } from '../../lib/operator-error.js'
import { manifestFile, unfinishedEnding, unfinishedMark } from '../archives/unfinished-folder.js'
import { isTar, readManifest } from './read-manifest.js'

export interface FoundBackup {
  readonly name: string
  readonly path: string
  /** Undefined: it is not a good backup. */
  readonly manifest: BackupManifest | undefined
  /** Why not. */
  readonly problem?: string
}

/** Oldest name first. Other folders and files are left out. A backup itself is the only one. */
export async function listBackups(folder: string): Promise<readonly FoundBackup[]> {
  if (!existsSync(folder)) throw new OperatorError(`${folder} does not exist.`)
  if (isTar(folder) || existsSync(join(folder, manifestFile))) return [await describe(basename(folder), folder)]
  const found: FoundBackup[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile() && isTar(entry.name)) found.push(await describe(entry.name, path))
    if (!entry.isDirectory()) continue
    if (entry.name.endsWith(unfinishedEnding) || existsSync(join(path, unfinishedMark))) {
      found.push({ name: entry.name, path, manifest: undefined, problem: 'not finished' })
    } else if (existsSync(join(path, manifestFile))) found.push(await describe(entry.name, path))
  }
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

async function describe(name: string, path: string): Promise<FoundBackup> {
  try {
    return { name, path, manifest: await readManifest(path) }
  } catch (error) {
    return { name, path, manifest: undefined, problem: (error as Error).message }
  }
}
