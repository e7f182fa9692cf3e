import {
  cornerShapes,
  type DesignInput,
  dotPatterns,
  frameIds,
  gradientStyles,
} from '../../src/core/qr-design/design.js'

/** Numbers from 0 to 1 that a seed decides. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  upTo(most: number): number {
    return Math.floor(this.roll() * (most + 1))
  }

  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.upTo(values.length - 1)] ?? values[0]
  }

  isLucky(chance: number): boolean {
    return this.roll() < chance
  }
}

const words = ['MENU', 'Wi-Fi', 'Scan me', 'Go', 'ÄÖÜ 10 %', 'Привет', 'ABCDEFGHIJKLMNOP', 'x'] as const

/** Any design; most of them have a chance to be read. */
export function randomDesign(dice: Dice): DesignInput {
  const dark = () => color(dice, dice.isLucky(0.93) ? 110 : 255, 0)
  const light = () => color(dice, 90, dice.isLucky(0.95) ? 165 : 0)
  const corner = () => ({
    shape: dice.oneOf(cornerShapes),
    ...(dice.isLucky(0.4) && { innerColor: dark() }),
    ...(dice.isLucky(0.4) && { outerColor: dark() }),
  })
  const gradient = (stop: () => string) => ({
    style: dice.oneOf(gradientStyles),
    angle: dice.upTo(360),
    colors: Array.from({ length: 2 + dice.upTo(2) }, () => ({ color: stop(), offset: dice.upTo(100) })),
    excludeCorners: dice.isLucky(0.5),
  })
  const caption = () => ({ content: dice.oneOf(words), ...(dice.isLucky(0.5) && { color: color(dice, 255, 0) }) })
  const inCentre = dice.upTo(3)
  return {
    dotPatternType: dice.oneOf(dotPatterns),
    dotPatternColor: dark(),
    backgroundColor: dice.isLucky(0.3) ? '#ffffff' : light(),
    corners: { corner_1: corner(), corner_2: corner(), corner_3: corner() },
    ...(dice.isLucky(0.4) && { gradient: gradient(dark) }),
    ...(dice.isLucky(0.3) && { backgroundGradient: gradient(light) }),
    ...(inCentre === 0 && { logo: { imageGuid: 'Ilogo' } }),
    frame: {
      id: dice.oneOf(frameIds),
      ...(dice.isLucky(0.5) && { colors: { primary: color(dice, 255, 0), background: color(dice, 255, 0) } }),
      ...(dice.isLucky(0.5) && { text: { primary: dice.oneOf(words), secondary: dice.oneOf(words) } }),
    },
    text: {
      ...(inCentre === 1 && { center: caption() }),
      ...(dice.isLucky(0.2) && { top: caption() }),
      ...(dice.isLucky(0.2) && { bottom: caption() }),
    },
    branding: { shortlinkBrand: dice.isLucky(0.2) },
    specSettings: { errorCorrection: 1 + dice.upTo(3) },
  }
}

function color(dice: Dice, range: number, least: number): string {
  const part = () =>
    Math.min(255, least + dice.upTo(range))
      .toString(16)
      .padStart(2, '0')
  return `#${part()}${part()}${part()}${dice.isLucky(0.1) ? (160 + dice.upTo(95)).toString(16) : ''}`
}

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~'] as [string, ...string[]]

/** Short URLs mostly, and some of what people put into static codes. */
export function randomContent(dice: Dice): string {
  const text = (length: number) => Array.from({ length }, () => dice.oneOf(letters)).join('')
  if (dice.isLucky(0.7)) return `https://sho.rt/${text(4 + dice.upTo(20))}?r=qr`
  if (dice.isLucky(0.5)) return `https://example.com/${text(dice.upTo(200))}?q=${text(dice.upTo(40))}`
  return dice.oneOf([`+49${dice.upTo(1e9)}`, text(1 + dice.upTo(30)), `WIFI:T:WPA;S:${text(8)};P:${text(12)};;`])
}

/** A picture for the centre: shapes of any colour, as wild as logos are. */
export function randomLogo(dice: Dice): { readonly bytes: Uint8Array; readonly mimeType: string } {
  const shapes = Array.from({ length: 4 + dice.upTo(30) }, () => {
    const [x, y, size] = [dice.upTo(24), dice.upTo(24), 1 + dice.upTo(9)]
    return dice.isLucky(0.5)
      ? `<rect x="${x}" y="${y}" width="${size}" height="${1 + dice.upTo(9)}" fill="${color(dice, 255, 0).slice(0, 7)}"/>`
      : `<circle cx="${x}" cy="${y}" r="${size}" fill="none" stroke="${color(dice, 255, 0).slice(0, 7)}" stroke-width="${1 + dice.upTo(2)}"/>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${shapes.join('')}</svg>`
  return { bytes: Buffer.from(svg), mimeType: 'image/svg+xml' }
}
