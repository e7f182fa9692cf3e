/**
 * Every code that is saved can be scanned: a design that scanners may not read is refused, with what to change
 * (docs/api/qr-codes.md#what-scans). The limits were found with two decoders, and test/qr/decoders.test.ts holds them to it.
 */
import { invalid, Refusal } from '../values/refusal.js'
import { contrast, greyOf, over, type Rgba } from './color.js'
import { cornerNames, type Gradient, type QrDesign } from './design.js'
import { finderPlaces, type Paints, paintsOf } from './draw.js'
import type { Box, Drawing, Paint } from './drawing.js'
import { layoutOf, quietZone } from './layout.js'
import { finderSize, type Matrix, moduleMatrix } from './matrix.js'
import { colorsOf } from './paint.js'

/** Between each part of the code and the ground behind it: for people, and in levels of grey for cameras. */
const leastContrast = 3
const leastDifference = 90

const paper: Rgba = [255, 255, 255, 1]
const black: Rgba = [0, 0, 0, 1]

export function requireScannable(content: string, design: QrDesign): void {
  const matrix = moduleMatrix(content, design)
  if (design.logo && design.text.center)
    throw refused('text.center', 'A code has a logo or a text in its centre, not both. Leave one of them out.')
  const { code, ...layout } = layoutOf(design, matrix)
  const paints = paintsOf(design, { code, ...layout })
  const parts = [dotsOf(design, matrix, code, paints), ...cornersOf(design, code, paints)]
  requireEvenGround(code, paints)
  const ground = darkestGround(code, paints)
  for (const part of parts) requireContrast(part)
  requireOneTone(parts, ground)
}

/** Pixels along one side of a module, below which decoders begin to fail. */
const leastPixels = 3

/** How long the longer side of a PNG must be, at least. */
export function leastSize({ width, height }: Drawing): number {
  return Math.ceil(leastPixels * Math.max(width, height))
}

/** Refuses a PNG in which the modules would be too small. */
export function requireReadableSize(drawing: Drawing, size: number): void {
  const least = leastSize(drawing)
  if (size >= least) return
  throw invalid('size', `With ${size} pixels the code could not be scanned. Ask for at least ${least}, or for SVG.`)
}

/** A part of the code that has one paint. */
interface Part {
  /** Where its colour is said. */
  readonly field: string
  readonly name: string
  readonly paint: Paint
  readonly ground: Paint
  readonly groundField: string
  points(): Iterable<Point>
}

type Point = readonly [x: number, y: number]

function dotsOf(design: QrDesign, matrix: Matrix, code: Box, { dots, ground }: Paints): Part {
  return {
    field: fieldOf('dotPatternColor', 'gradient', design.gradient),
    name: 'The dots',
    paint: dots,
    ground,
    groundField: groundField(design),
    points: () => (isPlain(dots, ground) ? [[code.x, code.y]] : darkModules(matrix, code)),
  }
}

function cornersOf(design: QrDesign, code: Box, paints: Paints): readonly Part[] {
  const places = finderPlaces(code)
  return cornerNames.flatMap((name, index) => {
    const { inner, outer } = paints.corners[index] ?? { inner: paints.dots, outer: paints.dots }
    const [x, y] = places[index] ?? [code.x, code.y]
    const own = design.corners[name]
    const part = (paint: Paint, key: 'innerColor' | 'outerColor', called: string): Part => ({
      field: paint === paints.dots || own[key] === undefined ? 'dotPatternColor' : `corners.${name}.${key}`,
      name: called,
      paint,
      ground: paints.cornerGround,
      groundField: paints.cornerGround === paints.ground ? groundField(design) : 'backgroundColor',
      points: () => (isPlain(paint, paints.cornerGround) ? [[x, y]] : square(x, y, finderSize)),
    })
    return [part(outer, 'outerColor', 'The ring of the corner'), part(inner, 'innerColor', 'The dot in the corner')]
  })
}

function requireContrast({ field, name, paint, ground, groundField, points }: Part): void {
  const [colorAt, groundAt] = [colorsOf(paint), colorsOf(ground)]
  for (const [x, y] of points()) {
    const below = over(groundAt(x, y), paper)
    const seen = over(colorAt(x, y), below)
    if (greyOf(seen) >= greyOf(below))
      throw refused(
        field,
        `${name} must be darker than the ground: many scanners do not read light on dark. Swap the colours.`,
      )
    const [ratio, difference] = [contrast(seen, below), greyOf(below) - greyOf(seen)]
    if (ratio >= leastContrast && difference >= leastDifference) continue
    const found =
      ratio < leastContrast
        ? `The contrast is ${ratio.toFixed(1)}:1, and ${leastContrast}:1 is needed.`
        : `They differ by ${Math.floor(difference)} of 255 levels of grey, and ${leastDifference} are needed.`
    const couldBeDarker = contrast(black, below) >= leastContrast && greyOf(below) >= leastDifference
    throw couldBeDarker
      ? refused(
          field,
          `${name} can hardly be told from the ground. ${found} Choose a darker colour, or a lighter ground.`,
        )
      : refused(groundField, `The ground is too dark. ${found} Choose a lighter ground.`)
  }
}

/**
 * Scanners tell dark from light by a threshold about half-way between the two. So the lightest part of the code must be
 * nearer to its darkest part than to the ground.
 */
const mostOfTheWay = 0.4

function requireOneTone(parts: readonly Part[], ground: number): void {
  let darkest = 255
  let lightest = { grey: 0, field: '', name: '' }
  for (const { paint, ground: groundPaint, points, field, name } of parts) {
    const [colorAt, groundAt] = [colorsOf(paint), colorsOf(groundPaint)]
    for (const [x, y] of points()) {
      const grey = greyOf(over(colorAt(x, y), over(groundAt(x, y), paper)))
      darkest = Math.min(darkest, grey)
      if (grey > lightest.grey) lightest = { grey, field, name }
    }
  }
  if (lightest.grey <= darkest + mostOfTheWay * (ground - darkest)) return
  throw refused(
    lightest.field,
    `${lightest.name} would be taken for ground, because other parts of the code are much darker. Choose a darker colour here or a lighter one there.`,
  )
}

/** Levels of grey between the patch behind a corner and the ground round it: its edge must not look like a ring. */
const mostStep = 40

function requireEvenGround(code: Box, { ground, cornerGround }: Paints): void {
  if (ground === cornerGround) return
  const [groundAt, patchAt] = [colorsOf(ground), colorsOf(cornerGround)]
  for (const [left, top] of finderPlaces(code)) {
    for (const [x, y] of square(left - 1, top - 1, finderSize + 2)) {
      const step = greyOf(over(patchAt(x, y), paper)) - greyOf(over(groundAt(x, y), paper))
      if (Math.abs(step) <= mostStep) continue
      const way = step < 0 ? 'darker' : 'lighter'
      throw refused(
        'backgroundColor',
        `The ground of the corners is much ${way} than that round them, so its edge could be taken for a part of the code. Choose colours that are alike, or leave out exclude_corners.`,
      )
    }
  }
}

/** The grey of the darkest spot that a scanner must see as light, in the quiet zone too. */
function darkestGround(code: Box, { ground, cornerGround }: Paints): number {
  const greys = [ground, cornerGround].map((paint) => {
    const groundAt = colorsOf(paint)
    const points =
      typeof paint === 'string'
        ? [[0, 0] as const]
        : square(code.x - quietZone, code.y - quietZone, code.width + 2 * quietZone)
    let least = 255
    for (const [x, y] of points) least = Math.min(least, greyOf(over(groundAt(x, y), paper)))
    return least
  })
  return Math.min(...greys)
}

function isPlain(...paints: readonly Paint[]): boolean {
  return paints.every((paint) => typeof paint === 'string')
}

function* darkModules(matrix: Matrix, { x: left, y: top }: Box): Iterable<Point> {
  for (let y = 0; y < matrix.size; y++) {
    for (let x = 0; x < matrix.size; x++) if (matrix.isDark(x, y)) yield [left + x + 0.5, top + y + 0.5]
  }
}

function* square(left: number, top: number, size: number): Iterable<Point> {
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) yield [left + x + 0.5, top + y + 0.5]
}

function groundField({ backgroundGradient }: QrDesign): string {
  return fieldOf('backgroundColor', 'backgroundGradient', backgroundGradient)
}

function fieldOf(color: string, name: string, gradient: Gradient): string {
  return gradient.style === 'no_gradient' ? color : `${name}.colors`
}

function refused(field: string, message: string): Refusal {
  return new Refusal('UNPROCESSABLE_ENTITY', message, { field: `renderCustomizations.${field}` })
}
