import { describe, expect, it } from 'vitest'
import { isChallenge, isVerifier, matchesChallenge } from './clients.js'

// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('PKCE', () => {
  it('accepts the verifier whose digest is the challenge', () => {
    expect(matchesChallenge(verifier, challenge)).toBe(true)
  })

  it.each([
    ['another verifier', `${verifier.slice(0, -1)}l`, challenge],
    ['the challenge itself', challenge, challenge],
    ['nothing', '', challenge],
    ['a verifier for a challenge of another length', verifier, `${challenge}=`],
  ])('refuses %s', (_, given, wanted) => {
    expect(matchesChallenge(given, wanted)).toBe(false)
  })

  it.each([
    [challenge, true],
    [`${challenge}=`, false],
    [challenge.slice(1), false],
    [`${challenge.slice(1)}+`, false],
    ['', false],
  ])('%j as a challenge: %j', (text, usable) => {
    expect(isChallenge(text)).toBe(usable)
  })

  it.each([
    ['a'.repeat(43), true],
    ['a'.repeat(128), true],
    ['a'.repeat(42), false],
    ['a'.repeat(129), false],
    [`${'a'.repeat(43)} `, false],
  ])('%j as a verifier: %j', (text, usable) => {
    expect(isVerifier(text)).toBe(usable)
  })
})
