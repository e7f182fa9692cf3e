import { expect, it } from 'vitest'
import { contrast, leastContrast } from '../../core/sites/contrast.js'
import { defaultAppearance } from '../../core/sites/site.js'
import { lookOf, readableOn } from './look.js'

/** What is seen where the veil is before a picture of this color. */
function behind(veil: string, picture: string): string {
  const opacity = Number.parseInt(veil.slice(7), 16) / 255
  const channels = [1, 3, 5].map((at) => {
    const [over = 0, under = 0] = [veil, picture].map((color) => Number.parseInt(color.slice(at, at + 2), 16))
    return Math.round(over * opacity + under * (1 - opacity))
  })
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

it.each(['#767676', '#000000', '#0f4fd6'])('a text block in %s can be read before any picture', (color) => {
  const { veil } = lookOf({ ...defaultAppearance, backgroundColor: '#ffffff' }, [color]).colors
  for (const picture of ['#000000', '#ffffff', '#808080']) {
    expect(contrast(color, behind(veil, picture))).toBeGreaterThanOrEqual(leastContrast)
  }
})

it('black or white can be read on every color', () => {
  for (let grey = 0; grey < 256; grey++) {
    const color = `#${grey.toString(16).padStart(2, '0').repeat(3)}`
    expect(contrast(readableOn(color), color), color).toBeGreaterThanOrEqual(leastContrast)
  }
})
