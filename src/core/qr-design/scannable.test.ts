import { describe, expect, it } from 'vitest'
import { type DesignInput, plainDesign, readDesign } from './design.js'
import { drawQrCode } from './draw.js'
import { leastSize, requireReadableSize, requireScannable } from './scannable.js'

const content = 'https://sho.rt/2uGBkz?r=qr'
const stops = (...colors: readonly string[]) =>
  colors.map((color, index) => ({ color, offset: (100 * index) / (colors.length - 1) }))

describe('requireScannable', () => {
  it.each<[string, DesignInput]>([
    ['black on white', {}],
    ['a dark colour on a pale one', { dotPatternColor: '#1e3a8a', backgroundColor: '#fef9c3' }],
    ['dots that let a little of the ground through', { dotPatternColor: '#000000d0' }],
    ['no ground at all, on white paper', { backgroundColor: '#ffffff00' }],
    ['a gradient of dark colours', { gradient: { style: 'linear', angle: 30, colors: stops('#1d4ed8', '#be185d') } }],
    [
      'a gradient of pale colours behind',
      { backgroundGradient: { style: 'radial', colors: stops('#ffffff', '#fbcfe8', '#bae6fd') } },
    ],
    [
      'corners of their own colours',
      { dotPatternColor: '#111827', corners: { corner_2: { innerColor: '#7f1d1d', outerColor: '#1e3a8a' } } },
    ],
  ])('takes %s', (_name, input) => {
    expect(() => requireScannable(content, readDesign(input))).not.toThrow()
  })

  it.each<[string, DesignInput, string, RegExp]>([
    ['dots like the ground', { dotPatternColor: '#fefefe' }, 'dotPatternColor', /1\.0:1.*darker/],
    ['pale dots', { dotPatternColor: '#ffcc00' }, 'dotPatternColor', /contrast is 1\.5:1, and 3:1 is needed/],
    ['light dots on dark', { dotPatternColor: '#ffffff', backgroundColor: '#000000' }, 'dotPatternColor', /Swap/],
    ['a dark ground', { backgroundColor: '#444444' }, 'backgroundColor', /lighter ground/],
    ['dots that let the ground through', { dotPatternColor: '#00000050' }, 'dotPatternColor', /darker/],
    [
      'a gradient that ends too pale',
      { gradient: { style: 'linear', colors: stops('#000000', '#ffee00') } },
      'gradient.colors',
      /darker/,
    ],
    [
      'a gradient that is too pale only in the middle',
      { gradient: { style: 'radial', colors: stops('#000000', '#ffee00', '#000000') } },
      'gradient.colors',
      /darker/,
    ],
    [
      'a ground that gets too dark',
      { backgroundGradient: { style: 'linear', angle: 90, colors: stops('#ffffff', '#333333') } },
      'backgroundGradient.colors',
      /lighter ground/,
    ],
    [
      'a pale ring',
      { corners: { corner_2: { outerColor: '#ffd700' } } },
      'corners.corner_2.outerColor',
      /ring of the corner/,
    ],
    [
      'a pale dot in a corner',
      { corners: { corner_3: { innerColor: '#eeeeee' } } },
      'corners.corner_3.innerColor',
      /dot/,
    ],
    [
      'dots that are nearer to the ground than to the corners',
      { dotPatternColor: '#8a8a8a', corners: { corner_1: { outerColor: '#000000' } } },
      'dotPatternColor',
      /much darker/,
    ],
    [
      'corners on patches that are much darker than the ground',
      {
        backgroundColor: '#b1a7bb',
        backgroundGradient: { style: 'linear', colors: stops('#f5cbe0', '#ffffff'), excludeCorners: true },
      },
      'backgroundColor',
      /darker.*leave out exclude_corners/,
    ],
    [
      'a logo and a text in the centre',
      { logo: { imageGuid: 'Ilogo' }, text: { center: { content: 'MENU' } } },
      'text.center',
      /not both/,
    ],
  ])('refuses %s', (_name, input, field, message) => {
    expect(() => requireScannable(content, readDesign(input))).toThrow(
      expect.objectContaining({
        code: 'UNPROCESSABLE_ENTITY',
        message: expect.stringMatching(message),
        details: { field: `renderCustomizations.${field}` },
      }),
    )
  })

  it('refuses a content that no code can hold, and says what leaves more room', () => {
    const refused = (message: RegExp) =>
      expect.objectContaining({
        code: 'UNPROCESSABLE_ENTITY',
        message: expect.stringMatching(message),
        details: { field: 'content' },
      })
    const withLogo = readDesign({ logo: { imageGuid: 'Ilogo' } })
    expect(() => requireScannable('x'.repeat(2332), plainDesign)).toThrow(refused(/lower the error correction/))
    expect(() => requireScannable('x'.repeat(2331), plainDesign)).not.toThrow()
    expect(() => requireScannable('x'.repeat(959), withLogo)).toThrow(refused(/leave out the logo/))
    expect(() => requireScannable('x'.repeat(958), withLogo)).not.toThrow()
  })
})

describe('requireReadableSize', () => {
  it('wants three pixels for each module, and names the least size', () => {
    const drawing = drawQrCode('x'.repeat(500), plainDesign)
    const least = leastSize(drawing)
    expect(least).toBe(Math.ceil(3 * drawing.width))
    expect(() => requireReadableSize(drawing, least)).not.toThrow()
    expect(() => requireReadableSize(drawing, least - 1)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`at least ${least}`),
        details: { field: 'size' },
      }),
    )
  })
})
