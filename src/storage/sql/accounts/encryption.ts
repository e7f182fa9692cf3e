/**
 * Secrets that must be readable again, such as what an authenticator app shares with us, as they are written into the
 * database: encrypted, so that a copy of the database alone does not give them away. It knows nothing of accounts.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenRule } from '../../../lib/credentials.js'
import { OperatorError } from '../../../lib/operator-error.js'

export interface Encryption {
  /** The same text becomes the same every time, so that it can be looked for. */
  encrypt(text: string): string
  /** What was sealed, or kept before there was a key. */
  open(text: string): string
}

const mark = 'sealed:'

/** Without a key: as it is. */
export const noEncryption: Encryption = {
  encrypt: (text) => text,
  open(text) {
    if (text.startsWith(mark)) throw cannotOpen('there is no key')
    return text
  },
}

/** AES-256-GCM. The nonce follows from the text under a key of its own, so it repeats for one and the same text only. */
export function encryptionWith(key: string): Encryption {
  const [forText, forNonce] = ['text', 'nonce'].map((use) => createHmac('sha256', key).update(`seal ${use}`).digest())
  if (!forText || !forNonce) throw new Error('two keys were made of one')
  return {
    encrypt(text) {
      const nonce = createHmac('sha256', forNonce).update(text).digest().subarray(0, nonceLength)
      const cipher = createCipheriv('aes-256-gcm', forText, nonce)
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    open(text) {
      if (!text.startsWith(mark)) return text
      const bytes = Buffer.from(text.slice(mark.length), 'base64url')
      if (bytes.length < nonceLength + tagLength) throw cannotOpen('it was cut short')
      const decipher = createDecipheriv('aes-256-gcm', forText, bytes.subarray(0, nonceLength))
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
      try {
        return decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw cannotOpen('it was encrypted with another key, or changed')
      }
    },
  }
}

const nonceLength = 12
const tagLength = 16

function cannotOpen(reason: string): OperatorError {
  return new OperatorError(
    `A second factor in the database cannot be read: ${reason}. Give the service the key that was in use before ` +
      '(secretsKey, or secrets.key in dataDir), or end that factor with "bin/shortlink user two-factor-off LOGIN".',
  )
}

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
