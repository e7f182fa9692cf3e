/** The modules of a QR code, and which of them are what. */
import { createRequire } from 'node:module'
import type { create as createSymbol } from 'qrcode'
import { RecentMap } from '../../lib/recent-map.js'
import { Refusal } from '../values/refusal.js'
import type { QrDesign } from './design.js'
import { type Level, withBestMask } from './mask.js'

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

const levels: readonly Level[] = ['L', 'M', 'Q', 'H']

// Loaded with the first code: its forty small files take longer to read than the service takes to start.
const require = createRequire(import.meta.url)
let create: typeof createSymbol | undefined

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
  const { modules, version } = encoded(content, level, design)
  const { size, reservedBit } = modules
  const data = content.length > masksAreTriedUpTo ? modules.data : withBestMask(modules, level)
  const last = size - finderSize
  return {
    size,
    isDark: (x, y) => data[y * size + x] === 1,
    isFixed: (x, y) => reservedBit[y * size + x] === 1,
    finders: [
      [0, 0],
      [last, 0],
      [0, last],
    ],
    alignments: alignmentPlaces(version, size),
  }
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
 * Longer contents take any mask: of a symbol that large all eight are alike, and trying them takes milliseconds.
 */
const masksAreTriedUpTo = 300

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

function encoded(content: string, errorCorrectionLevel: Level, design: QrDesign) {
  create ??= (require('qrcode') as { create: typeof createSymbol }).create
  const options = {
    errorCorrectionLevel,
    maskPattern: content.length > masksAreTriedUpTo ? (2 as const) : (0 as const),
  }
  try {
    const smallest = create(content, options)
    const version = versionsFor(design).find((each) => each >= smallest.version)
    if (version === smallest.version) return smallest
    if (version !== undefined) return create(content, { ...options, version })
  } catch (error) {
    // It says so only in words: "The amount of data is too big to be stored in a QR Code".
    if (!(error instanceof Error && error.message.startsWith('The amount of data'))) throw error
  }
  const less = coversCentre(design) ? 'leave out the logo or the text in the centre' : 'lower the error correction'
  throw new Refusal('UNPROCESSABLE_ENTITY', `The content does not fit into a QR code. Shorten it, or ${less}.`, {
    field: 'content',
  })
}

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
