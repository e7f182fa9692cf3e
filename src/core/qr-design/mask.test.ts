import { create } from 'qrcode'
import { expect, it } from 'vitest'
import { Dice } from '../../../test/qr/random-design.js'
import { withBestMask } from './mask.js'

it('chooses the mask that the qrcode package chooses, and describes it alike', () => {
  const seed = Date.now() % 1_000_000
  const dice = new Dice(seed)
  const chosen = new Set<number | undefined>()
  for (let round = 0; round < 300; round++) {
    const level = dice.oneOf(['L', 'M', 'Q', 'H'] as const)
    const length = 1 + dice.upTo(round % 10 === 0 ? 300 : 60)
    const content = Array.from({ length }, () => String.fromCharCode(32 + dice.upTo(90))).join('')
    const expected = create(content, { errorCorrectionLevel: level })
    const { modules } = create(content, { errorCorrectionLevel: level, maskPattern: 0 })
    const isSame = Buffer.from(withBestMask(modules, level)).equals(Buffer.from(expected.modules.data))
    expect([seed, round, level, content, isSame]).toEqual([seed, round, level, content, true])
    chosen.add(expected.maskPattern)
  }
  expect(chosen.size).toBe(8)
})
