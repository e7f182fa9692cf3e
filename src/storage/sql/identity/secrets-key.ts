import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../lib/operator-error.js'

/** The key that a service which keeps everything in one folder makes for itself, readable for its own user alone. */
export function secretsKeyIn(dataDir: string): string {
  const file = join(dataDir, 'secrets.key')
  try {
    return readIfThere(file) ?? makeKey(file)
  } catch (error) {
    const reason = (error as Error).message
    throw new OperatorError(`${file} can be neither read nor made (${reason}). Give its folder to the service's user.`)
  }
}

function makeKey(file: string): string {
  // Written whole before it has its name: of two processes that start at once, both use the key of one.
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  return readFileSync(file, 'utf8').trim()
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
