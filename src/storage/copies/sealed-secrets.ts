/** Encrypts the secrets of a backup with a passphrase: scrypt for the key, AES-256-GCM for the content. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Secrets } from '../../core/copies/make-backup.js'
import { OperatorError } from '../../lib/operator-error.js'

/** A third of a second and 128 MiB for each guess at the passphrase. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const

const Sealed = Type.Object({
  cipher: Type.Literal('aes-256-gcm'),
  scrypt: Type.Object({
    // Bounded, because the file may come from anywhere.
    N: Type.Integer({ minimum: 2 ** 14, maximum: 2 ** 20 }),
    r: Type.Integer({ minimum: 1, maximum: 16 }),
    p: Type.Integer({ minimum: 1, maximum: 4 }),
    salt: Type.String(),
  }),
  nonce: Type.String(),
  tag: Type.String(),
  content: Type.String(),
})

export async function sealSecrets(secrets: Secrets, passphrase: string): Promise<Uint8Array> {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(passphrase, salt, cost), nonce)
  const files = Object.entries(secrets).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
  const content = Buffer.concat([cipher.update(JSON.stringify(Object.fromEntries(files))), cipher.final()])
  const sealed: Static<typeof Sealed> = {
    cipher: 'aes-256-gcm',
    scrypt: { ...cost, salt: salt.toString('base64') },
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    content: content.toString('base64'),
  }
  return Buffer.from(`${JSON.stringify(sealed, undefined, 2)}\n`)
}

export async function openSecrets(bytes: Uint8Array, passphrase: string): Promise<Secrets> {
  const sealed: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  if (!Value.Check(Sealed, sealed)) throw new OperatorError('secrets.json of the backup has an unknown format.')
  const { salt, ...parameters } = sealed.scrypt
  const key = await keyFrom(passphrase, Buffer.from(salt, 'base64'), parameters)
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.nonce, 'base64'), { authTagLength: 16 })
  decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'))
  let text: string
  try {
    text = Buffer.concat([decipher.update(sealed.content, 'base64'), decipher.final()]).toString('utf8')
  } catch {
    throw new OperatorError(
      'The passphrase does not open the secrets of this backup. Give the one it was made with (backupPassphrase), or ' +
        'restore with --without-secrets.',
    )
  }
  const files = Object.entries(JSON.parse(text) as Record<string, string>)
  return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content, 'base64')]))
}

function keyFrom(passphrase: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Unicode has several spellings of one character.
    scrypt(passphrase.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
