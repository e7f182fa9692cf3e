/** What a data directory was used with last, for operators and error messages: the files `version` and `base-url` in it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../lib/version.js'
import { makeDataDir } from './open-records.js'

/** Undefined for a new directory, and for one that was never used since the file was introduced (1.0.0). */
export function dataVersion(dataDir: string): string | undefined {
  return read(join(dataDir, 'version'))
}

export function writeDataVersion(dataDir: string): void {
  write(dataDir, 'version', version())
}

/** For commands while the service is stopped. */
export function servedBaseUrl(dataDir: string): string | undefined {
  return read(join(dataDir, 'base-url'))
}

export function writeServedBaseUrl(dataDir: string, baseUrl: string): void {
  try {
    write(dataDir, 'base-url', baseUrl)
  } catch {
    // A full disk must not end a service that could start.
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function write(dataDir: string, name: string, text: string): void {
  const file = join(dataDir, name)
  if (read(file) === text) return
  makeDataDir(dataDir)
  writeFileSync(file, `${text}\n`, { mode: 0o600 })
}
