import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './secrets.js'

it('knows a password again by its argon2id hash, and no other', async () => {
  const hashed = await hashPassword('correct horse')
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(hashed, 'correct horse')).toBe(true)
  expect(await verifyPassword(hashed, 'Correct horse')).toBe(false)
})

it('salts: the same password hashes differently each time', async () => {
  expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'))
})
