/** The modules of a QR code, and which of them are what. */
import { type Bitmap2D, correction, generate, type ModeFactory, mode } from 'lean-qr'
import { RecentMap } from '../../lib/recent-map.js'
import { Refusal } from '../values/refusal.js'
import type { QrDesign } from './design.js'

export interface Matrix {
  /** Modules along one side. */
  readonly size: number
  isDark(x: number, y: number): boolean
  /** Where the finder patterns begin, in the order of the corners: top left, top right, bottom left. */
  readonly finders: readonly Place[]
  /** Where the small squares of larger codes begin, which tell a scanner how the picture is bent. */
  readonly alignments: readonly Place[]
  /** Modules that hold no data: patterns that are always the same, and what describes the code itself. */
  isFixed(x: number, y: number): boolean
}

type Place = readonly [x: number, y: number]

export const finderSize = 7
export const alignmentSize = 5

type Level = 'L' | 'M' | 'Q' | 'H'
const levels: readonly Level[] = ['L', 'M', 'Q', 'H']

/** Without the mark that says so (ECI), which takes room and which some scanners do not know: all take bytes for UTF-8. */
const utf8: ModeFactory = Object.assign((text: string) => mode.bytes(Buffer.from(text)), {
  test: () => true,
  est: (text: string, version: number) => (version < 10 ? 12 : 20) + 8 * Buffer.byteLength(text),
})
const modes = [mode.numeric, mode.alphaNumeric, utf8]

/** A design is checked and then drawn, in several formats and sizes, and in a studio again with each change of a colour. */
const recent = new RecentMap<string, Matrix>(100)

/** Refuses a content that is longer than a code with this error correction can hold. */
export function moduleMatrix(content: string, design: QrDesign): Matrix {
  const level = levels[levelOf(design) - 1] ?? 'H'
  const key = `${level} ${versionsFor(design)[0]} ${coversCentre(design)} ${content}`
  const known = recent.get(key)
  if (known) return known
  const matrix = newMatrix(content, level, design)
  recent.set(key, matrix)
  return matrix
}

function newMatrix(content: string, level: Level, design: QrDesign): Matrix {
  const symbol = encoded(content, level, design)
  const { size } = symbol
  const version = versionOf(symbol)
  const last = size - finderSize
  const alignments = alignmentPlaces(version, size)
  return {
    size,
    isDark: (x, y) => symbol.get(x, y),
    isFixed: (x, y) =>
      isBesideFinder(x, y, size) ||
      x === 6 ||
      y === 6 ||
      (version >= 7 && isVersionText(x, y, size)) ||
      alignments.some(([left, top]) => x >= left && x < left + alignmentSize && y >= top && y < top + alignmentSize),
    finders: [
      [0, 0],
      [last, 0],
      [0, last],
    ],
    alignments,
  }
}

function versionOf({ size }: Bitmap2D): number {
  return (size - 17) / 4
}

/** In a finder pattern or in the modules round it, which name the error correction and the mask. */
function isBesideFinder(x: number, y: number, size: number): boolean {
  return (x <= 8 && y <= 8) || (x >= size - 8 && y <= 8) || (x <= 8 && y >= size - 8)
}

/** Larger codes name their version twice, beside two of the corners. */
function isVersionText(x: number, y: number, size: number): boolean {
  return (x < 6 && y >= size - 11) || (y < 6 && x >= size - 11)
}

/**
 * What covers the centre hides modules, which the highest level makes up for. Shapes that are no squares are read a little
 * less exactly: with the lowest level zbar failed on 4 of 100 blurred, noisy or turned ones, with the third on none of 600.
 */
function levelOf(design: QrDesign): number {
  if (coversCentre(design)) return 4
  return Math.max(design.specSettings.errorCorrection, hasOnlySquares(design) ? 1 : 3)
}

function coversCentre({ logo, text }: QrDesign): boolean {
  return logo !== undefined || text.center !== undefined
}

function hasOnlySquares({ dotPatternType, corners }: QrDesign): boolean {
  return dotPatternType === 'standard' && Object.values(corners).every(({ shape }) => shape === 'standard')
}

/**
 * Versions of the standard with room for something in the centre: between these there is an alignment pattern in the
 * centre, and both decoders of the tests fail now and then when it is hidden.
 */
const withFreeCentre = [2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 20, 28, 29, 30, 31, 32, 33, 34]
/** The smallest has no alignment pattern: alone with shapes that are no squares, some decoders lose their way. */
const withAlignment = Array.from({ length: 39 }, (_, index) => index + 2)
const allVersions = [1, ...withAlignment]

function versionsFor(design: QrDesign): readonly number[] {
  if (coversCentre(design)) return withFreeCentre
  return hasOnlySquares(design) ? allVersions : withAlignment
}

function encoded(content: string, level: Level, design: QrDesign): Bitmap2D {
  const levelOnly = { minCorrectionLevel: correction[level], maxCorrectionLevel: correction[level] }
  const versions = versionsFor(design)
  try {
    const smallest = generate(content, { ...levelOnly, modes })
    const version = versions.find((each) => each >= versionOf(smallest))
    if (version === versionOf(smallest)) return smallest
    if (version !== undefined) return generate(content, { ...levelOnly, modes, minVersion: version })
  } catch (error) {
    if ((error as { code?: unknown }).code !== tooMuchData) throw error
  }
  const less = coversCentre(design) ? 'leave out the logo or the text in the centre' : 'lower the error correction'
  throw new Refusal('UNPROCESSABLE_ENTITY', `The content does not fit into a QR code. Shorten it, or ${less}.`, {
    field: 'content',
  })
}

/** The code of lean-qr's error. */
const tooMuchData = 4

/** ISO/IEC 18004, annex E: at equal distances between the first and the last, except of version 32. */
function alignmentPlaces(version: number, size: number): readonly Place[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const last = size - finderSize
  const step = version === 32 ? 26 : Math.ceil((last - 6) / (2 * count - 2)) * 2
  const middles = [6, ...Array.from({ length: count - 1 }, (_, index) => last - step * (count - 2 - index))]
  const places = middles.flatMap((y) => middles.map((x) => [x - 2, y - 2] as const))
  // Three of them would lie on the finder patterns.
  return places.filter(
    ([x, y]) => !(x === 4 && y === 4) && !(x === 4 && y === last - 2) && !(x === last - 2 && y === 4),
  )
}
