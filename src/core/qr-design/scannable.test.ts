import { describe, expect, it } from 'vitest'
import { plainDesign } from './design.js'
import { requireScannable } from './scannable.js'

describe('requireScannable', () => {
  it('takes the plain design', () => {
    expect(() => requireScannable('https://sho.rt/a', plainDesign)).not.toThrow()
  })

  it('refuses a content that no code can hold', () => {
    const tooLong = 'x'.repeat(2954)
    expect(() => requireScannable(tooLong, plainDesign)).toThrow(
      expect.objectContaining({ code: 'UNPROCESSABLE_ENTITY', details: { field: 'content' } }),
    )
  })
})
