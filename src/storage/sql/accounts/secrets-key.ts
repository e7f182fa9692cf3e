import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenRule } from '../../../lib/credentials.js'
import { OperatorError } from '../../../lib/operator-error.js'

/** The key that a service which keeps everything in one folder makes for itself, readable for its own user alone. */
export function secretsKeyIn(dataDir: string): string {
  const file = join(dataDir, 'secrets.key')
  try {
    const key = readIfThere(file) ?? makeKey(file)
    requireKey(key, file)
    return key
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = (error as Error).message
    throw new OperatorError(`${file} can be neither read nor made (${reason}). Give its folder to the service's user.`)
  }
}

/** Refuses a file that holds no key; where there is no file, one will be made. */
export function requireSecretsKey(dataDir: string): void {
  const file = join(dataDir, 'secrets.key')
  let key: string | undefined
  try {
    key = readIfThere(file)
  } catch (error) {
    throw new OperatorError(`${file} cannot be read (${(error as Error).message}). Give it to the service's user.`)
  }
  if (key !== undefined) requireKey(key, file)
}

/** A file that was cut short would otherwise become the key of all second factors from now on. */
function requireKey(key: string, file: string): void {
  if (tokenRule.test(key)) return
  throw new OperatorError(
    `${file} holds no key (${key.length} characters; ${tokenRule.allowed}). Restore it from a backup. If there is none, delete it: a new one is made, and everybody with a second factor needs "shortlink user two-factor-off LOGIN".`,
  )
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
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
