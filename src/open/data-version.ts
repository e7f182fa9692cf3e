/** Which version of the program used a data directory last: the file `version` in it, for operators and error messages. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../lib/version.js'
import { makeDataDir } from './open-records.js'

/** Undefined for a new directory, and for one that was never used since the file was introduced (1.0.0). */
export function dataVersion(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'version'), 'utf8').trim()
  } catch {
    return undefined
  }
}

export function writeDataVersion(dataDir: string): void {
  if (dataVersion(dataDir) === version()) return
  makeDataDir(dataDir)
  writeFileSync(join(dataDir, 'version'), `${version()}\n`, { mode: 0o600 })
}
