/**
 * Encrypts secrets that must be readable again, such as TOTP secrets, so that a copy of the database alone does not
 * reveal them. Must not know what they are used for.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenRule } from '../../../lib/credentials.js'
import { OperatorError } from '../../../lib/operator-error.js'

export interface Encryption {
  /** Deterministic: equal texts give equal results, so they can be searched for. */
  encrypt(text: string): string
  /** Plain text from before there was a key is returned unchanged. Throws `CannotDecrypt`, which names `what` it is. */
  decrypt(text: string, what: string): string
}

export class CannotDecrypt extends OperatorError {
  override readonly name = 'CannotDecrypt'

  constructor(what: string, reason: string) {
    super(
      `Cannot decrypt ${what} in the database: ${reason}. Give the service the key that was used before ` +
        '(secretsKey, or secrets.key in dataDir). If it is lost, docs/backup.md#secrets says what to do.',
    )
  }
}

/** Undefined for a text that was encrypted with another key. */
export function decryptIfPossible(text: string, { decrypt }: Encryption): string | undefined {
  try {
    return decrypt(text, 'a secret')
  } catch (error) {
    if (error instanceof CannotDecrypt) return undefined
    throw error
  }
}

const mark = 'sealed:'

/** Without a key: plain text. */
export const noEncryption: Encryption = {
  encrypt: (text) => text,
  decrypt(text, what) {
    if (text.startsWith(mark)) throw new CannotDecrypt(what, 'there is no key')
    return text
  },
}

/** For a database whose key is in a file that is missing. */
export const missingKey: Encryption = {
  encrypt() {
    throw new OperatorError('There is no secrets.key in the data directory. Start the service first, which creates it.')
  },
  decrypt: noEncryption.decrypt,
}

/** AES-256-GCM. The nonce is an HMAC of the text with a separate key, so it repeats only for equal texts. */
export function encryptionWith(key: string): Encryption {
  const [forText, forNonce] = ['text', 'nonce'].map((use) => createHmac('sha256', key).update(`seal ${use}`).digest())
  if (!forText || !forNonce) throw new Error('key derivation did not return two keys')
  return {
    encrypt(text) {
      const nonce = createHmac('sha256', forNonce).update(text).digest().subarray(0, nonceLength)
      const cipher = createCipheriv('aes-256-gcm', forText, nonce)
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    decrypt(text, what) {
      if (!text.startsWith(mark)) return text
      const bytes = Buffer.from(text.slice(mark.length), 'base64url')
      if (bytes.length < nonceLength + tagLength) throw new CannotDecrypt(what, 'it is truncated')
      const decipher = createDecipheriv('aes-256-gcm', forText, bytes.subarray(0, nonceLength))
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
      try {
        return decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        throw new CannotDecrypt(what, 'it was encrypted with another key, or changed')
      }
    },
  }
}

const nonceLength = 12
const tagLength = 16

/** The key of an embedded service; undefined if there is none. Rejects a file that contains no key. */
export function secretsKeyIn(dataDir: string): string | undefined {
  const file = join(dataDir, 'secrets.key')
  let key: string | undefined
  try {
    key = readIfThere(file)
  } catch (error) {
    throw new OperatorError(`Cannot read ${file} (${(error as Error).message}). Give it to the service's user.`)
  }
  if (key !== undefined) requireKey(key, file)
  return key
}

/** Creates it, readable only for the user of the service; one that is there stays. */
export function createSecretsKey(dataDir: string): string {
  const file = join(dataDir, 'secrets.key')
  try {
    return makeKey(file)
  } catch (error) {
    const reason = (error as Error).message
    throw new OperatorError(`Cannot create ${file} (${reason}). Give its folder to the service's user.`)
  }
}

/** A truncated file would otherwise become the key of all secrets. */
function requireKey(key: string, file: string): void {
  if (tokenRule.test(key)) return
  throw new OperatorError(
    `${file} contains no key (${key.length} characters; ${tokenRule.allowed}). Restore it from a backup. If there is none, ` +
      'delete it, and create another with "shortlink secrets new-key" (docs/backup.md#secrets).',
  )
}

function makeKey(file: string): string {
  // Written completely before it gets its name, so two processes that start at once use the same key.
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
