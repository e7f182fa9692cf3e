import { describe, expect, it } from 'vitest'
import { codeAt } from '../../../test/support/authenticator-app.js'
import { newTotpSecret, otpauthUri, stepOfCode } from './second-factor.js'

// "12345678901234567890" in base 32: the key of RFC 6238, appendix B.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('are those of RFC 6238 at %i seconds', (seconds, code) => {
    expect(codeAt(secret, Math.floor(seconds / 30))).toBe(code)
    expect(stepOfCode(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  it('are good one step early and one step late, and no further', () => {
    const now = 1_700_000_000_000
    const step = Math.floor(now / 30_000)
    const accepted = [-2, -1, 0, 1, 2].map((away) => stepOfCode(secret, codeAt(secret, step + away), now))
    expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  it.each(['', '1', '12345', '1234567', 'abcdef', '12345６', '🙂🙂🙂'])('"%s" is none', (code) => {
    expect(stepOfCode(secret, code, 59_000)).toBeUndefined()
  })

  it('come from secrets of 160 bits that apps can read', () => {
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
    expect(newTotpSecret()).not.toBe(newTotpSecret())
    const uri = new URL(otpauthUri('go.example.com:8080', 'ada@x', secret))
    expect(uri.href).toMatch(/^otpauth:\/\/totp\/go\.example\.com%3A8080:ada%40x\?/)
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret,
      issuer: 'go.example.com:8080',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
