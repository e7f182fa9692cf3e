import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CannotDecrypt, createSecretsKey, encryptionWith, noEncryption, secretsKeyIn } from './encryption.js'

const { encrypt, decrypt } = encryptionWith('a key')

describe('encrypted text', () => {
  it.each(['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', '+491234567', '', 'ü', 'x'.repeat(10_000)])(
    'of %j can be decrypted',
    (text) => {
      expect(decrypt(encrypt(text), 'it')).toBe(text)
      if (text.length > 1) expect(encrypt(text)).not.toContain(text)
    },
  )

  it('is equal for equal texts, and differs for any other text or key', () => {
    expect(encrypt('one')).toBe(encrypt('one'))
    expect(new Set([encrypt('one'), encrypt('two'), encryptionWith('another').encrypt('one')]).size).toBe(3)
  })

  it('cannot be decrypted without the key, with another key, or after a change', () => {
    const encrypted = encrypt('GEZDGNBVGY3TQOJQ')
    const last = encrypted.endsWith('A') ? 'B' : 'A'
    for (const other of [noEncryption, encryptionWith('another')])
      expect(() => other.decrypt(encrypted, 'the secret of ada')).toThrow(
        /Cannot decrypt the secret of ada .*secretsKey/,
      )
    for (const changed of [encrypted.slice(0, -1) + last, encrypted.slice(0, 20), 'sealed:']) {
      expect(() => decrypt(changed, 'it')).toThrow(CannotDecrypt)
    }
  })

  it('may be plain text from before there was a key', () => {
    expect(decrypt('GEZDGNBVGY3TQOJQ', 'it')).toBe('GEZDGNBVGY3TQOJQ')
    expect(noEncryption.decrypt(noEncryption.encrypt('+491234567'), 'it')).toBe('+491234567')
  })
})

describe('the key of a data directory', () => {
  it('is created once, kept, and readable only for its owner', () => {
    const [one, other] = ['one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `shortlink-key-${name}-`)))
    if (one === undefined || other === undefined) throw new Error('no directories')
    expect(secretsKeyIn(one)).toBeUndefined()
    const key = createSecretsKey(one)
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect([secretsKeyIn(one), createSecretsKey(one)]).toEqual([key, key])
    expect(createSecretsKey(other)).not.toBe(key)
    expect(readdirSync(one)).toEqual(['secrets.key'])
    expect(statSync(join(one, 'secrets.key')).mode & 0o777).toBe(0o600)
    for (const directory of [one, other]) rmSync(directory, { recursive: true })
  })
})
