import { describe, expect, it } from 'vitest'
import { type QrDesign, readDesign } from './design.js'
import { moduleMatrix } from './matrix.js'

const levels = { L: 1, M: 2, Q: 3, H: 4 }

function withLevel(level: keyof typeof levels): QrDesign {
  const design = readDesign({})
  return { ...design, specSettings: { ...design.specSettings, errorCorrection: levels[level] } }
}

function versionOf(content: string, level: keyof typeof levels): number {
  return (moduleMatrix(content, withLevel(level)).size - 17) / 4
}

describe('the modules of a code', () => {
  it.each([
    ['https://sho.rt/2uGBkz?r=qr', [2, 2, 3, 4]],
    // Letters and digits that take less room are packed, also in the middle of others.
    ['HTTPS://SHO.RT/ABC', [1, 1, 2, 2]],
    ['https://example.com/12345678901234567890', [2, 3, 3, 4]],
    // UTF-8, without a mark that says so.
    ['BEGIN:VCARD\nVERSION:3.0\nFN:Zoë\nTEL:+4912345678901\nEND:VCARD', [3, 4, 5, 6]],
    [`https://${'a'.repeat(800)}`, [20, 23, 28, 32]],
  ])('are as few as its content needs (%#)', (content, versions) => {
    expect((['L', 'M', 'Q', 'H'] as const).map((level) => versionOf(content, level))).toEqual(versions)
  })

  it('are fixed where they hold no data, in codes of every size', () => {
    for (const [index, length] of capacities.entries()) {
      const { size, isFixed } = moduleMatrix('a'.repeat(length), withLevel('L'))
      let free = 0
      for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) if (!isFixed(x, y)) free++
      expect([size, free]).toEqual([21 + 4 * index, dataModules(index + 1)])
    }
  })
})

/** ISO/IEC 18004, table 7: the most bytes with level L, by version. */
const capacities = [
  17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003, 1091, 1171,
  1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953,
]

/** ISO/IEC 18004, table 1. */
function dataModules(version: number): number {
  const along = Math.floor(version / 7) + 2
  const alignments = version === 1 ? 0 : (25 * along - 10) * along - 55
  return (16 * version + 128) * version + 64 - alignments - (version >= 7 ? 36 : 0)
}
