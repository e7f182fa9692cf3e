/**
 * Texts as outlines. The letters come from open fonts (their licences are in letters/), so a picture is the same on every
 * machine. Latin, Greek and Cyrillic letters are known; a text with others is refused (design.ts).
 */
import { createRequire } from 'node:module'
import { installation } from '../../lib/installation.js'
import { RecentMap } from '../../lib/recent-map.js'
import { tidy } from './paths.js'

type FontName = 'sans' | 'script'

interface Letter {
  readonly advance: number
  readonly outline: string
}

/** Written by scripts/qr-letters.mjs, in thousandths of the font size. */
interface FontFile {
  readonly capHeight: number
  /** How far the next letter is, and the outline. */
  readonly letters: Readonly<Record<string, readonly [advance: number, outline: string]>>
  /** By the first letter and the second ones: how much nearer or farther these are. */
  readonly kerning: Readonly<Record<string, Readonly<Record<string, number>>>>
}

class Font {
  readonly #letters: ReadonlyMap<string, Letter>
  readonly #kerning: ReadonlyMap<string, number>
  /** Of a font size of 1. */
  readonly capHeight: number

  constructor(file: FontFile) {
    this.capHeight = file.capHeight / 1000
    this.#letters = new Map(
      Object.entries(file.letters).map(([character, [advance, outline]]) => [character, { advance, outline }]),
    )
    this.#kerning = new Map(
      Object.entries(file.kerning).flatMap(([first, distances]) =>
        Object.entries(distances).flatMap(([seconds, distance]) =>
          [...seconds].map((second) => [first + second, distance] as const),
        ),
      ),
    )
  }

  has(text: string): boolean {
    return [...text].every((character) => this.#letters.has(character))
  }

  /** The letters of a text with their places, in thousandths of the font size. */
  line(text: string): { readonly letters: readonly (Letter & { readonly x: number })[]; readonly width: number } {
    let x = 0
    let before = ''
    const letters = [...text].map((character) => {
      const letter = this.#letters.get(character) ?? { advance: 0, outline: '' }
      x += this.#kerning.get(before + character) ?? 0
      const placed = { ...letter, x }
      x += letter.advance
      before = character
      return placed
    })
    return { letters, width: x }
  }
}

const read = new Map<FontName, Font>()

const require = createRequire(installation)

/** Read when first used: most codes have no text. */
function fontOf(name: FontName): Font {
  const known = read.get(name) ?? new Font(require(`./dist/core/qr-design/letters/${name}.json`) as FontFile)
  read.set(name, known)
  return known
}

/** The first letter of a text that cannot be drawn. */
export function unknownLetter(text: string): string | undefined {
  const font = fontOf('sans')
  return [...text].find((character) => !font.has(character))
}

export interface LetteringSize {
  readonly width: number
  /** Of its capital letters. */
  readonly height: number
}

interface LineSize {
  readonly font?: FontName
  /** Of its capital letters; less when the line would be wider than `maxWidth`. */
  readonly height: number
  readonly maxWidth: number
}

interface Line extends LineSize {
  /** The middle of the line. */
  readonly x: number
  /** The middle of its capital letters. */
  readonly y: number
}

/** How much room a line of text takes. */
export function letteringSize(text: string, line: LineSize): LetteringSize {
  const { width, height } = measured(text, line)
  return { width, height }
}

/** One line of text round a point. */
export function lettering(text: string, { x, y, ...line }: Line): LetteringSize & { readonly path: string } {
  const { letters, scale, width, height } = measured(text, line)
  const baseline = y + height / 2
  const path = letters.map((letter) => placed(letter.outline, x - width / 2 + letter.x * scale, baseline, scale))
  return { path: path.join(''), width, height }
}

function measured(text: string, { font: name = 'sans', height, maxWidth }: LineSize) {
  // The script has fewer letters.
  const font = name === 'script' && !fontOf('script').has(text) ? fontOf('sans') : fontOf(name)
  const { letters, width } = font.line(text)
  const scale = Math.min(height / font.capHeight / 1000, maxWidth / Math.max(1, width))
  return { letters, scale, width: width * scale, height: font.capHeight * 1000 * scale }
}

/** An outline begins at its first point and closes where it began, as relative path data is meant to. */
function placed(outline: string, x: number, y: number, scale: number): string {
  return outline === '' ? '' : `M${tidy(x)} ${tidy(y)}${scaled(outline, scale)}`
}

/** By the outline and the scale: codes of the same size have the same letters, and most say the same. */
const knownOutlines = new RecentMap<string, string>(500)

function scaled(outline: string, scale: number): string {
  const key = `${scale} ${outline}`
  const known = knownOutlines.get(key)
  if (known !== undefined) return known
  const fresh = outline.replace(/-?\d+/g, (number) => ` ${tidy(Number(number) * scale)}`)
  knownOutlines.set(key, fresh)
  return fresh
}
