/**
 * The patterns by which a scanner finds a code and its grid: always solid shapes, whatever the dots are. Along their middle
 * they keep the widths that scanners look for (1:1:3:1:1).
 */
import type { CornerShape, DotPattern } from './design.js'
import { alignmentSize, finderSize } from './matrix.js'
import { roundedRectangle } from './paths.js'

/** How round the outside of the ring, its inside and the eye are; negative: cut out. */
type Roundness = readonly [outside: number, inside: number, eye: number]
/** Which corners: top left, top right, bottom right, bottom left of the finder pattern at the top left. */
type Which = readonly [number, number, number, number]

const all: Which = [1, 1, 1, 1]
const soft: Roundness = [2.1, 1.35, 1.05]
const slight: Roundness = [1.2, 0.6, 0.5]
/** With more of it zbar does not read a code that is turned by half a right angle. */
const rounded: Roundness = [1.6, 1, 0.75]

/** The second where a scanner is easily led astray (`needCare`). */
const shapes: Readonly<Record<CornerShape, readonly [Roundness, Roundness, Which]>> = {
  standard: [[0, 0, 0], [0, 0, 0], all],
  slightly_round: [slight, slight, all],
  rounded: [rounded, slight, all],
  extra_round: [soft, rounded, all],
  // Two corners are round. The others have one point, which they turn to the centre of the code or away from it.
  leaf: [soft, slight, [1, 0, 1, 0]],
  leaf_inner: [soft, slight, [1, 1, 0, 1]],
  leaf_outer: [soft, slight, [0, 1, 1, 1]],
  // Not quite circles: scanners take the direction of a code from the sides of its corners. Of real ones zbar missed every
  // second code with four pixels for each module.
  target: [[2.2, 1.7, 1.45], [1.4, 1.2, 1.2], all],
  concave: [[-1.2, -0.8, -0.5], [-0.6, -0.3, -0.3], all],
}

/** Modules along one side. With up to 33 no decoder failed, with 60 every fifth leaf was not read by ZXing. */
const mostWithFreeShapes = 33

/** In large codes, and beside corners of another shape, round corners are less round: zbar measures one by the others. */
export function needCare(corners: readonly CornerShape[], modules: number): boolean {
  return modules > mostWithFreeShapes || new Set(corners).size > 1
}

/** As the corner at the top right and at the bottom left mirror the first one. */
const mirrored: readonly ((which: Which) => Which)[] = [
  (which) => which,
  ([tl, tr, br, bl]) => [tr, tl, bl, br],
  ([tl, tr, br, bl]) => [bl, br, tr, tl],
]

interface Ring {
  /** To be filled by the even-odd rule. */
  readonly ring: string
  readonly eye: string
}

/** `corner`: 0 top left, 1 top right, 2 bottom left. */
export function finderPaths(shape: CornerShape, corner: number, x: number, y: number, isCareful: boolean): Ring {
  const [free, careful, which] = shapes[shape]
  const roundness = isCareful ? careful : free
  return paths(x, y, finderSize, roundness, mirrored[corner]?.(which) ?? which)
}

const squarePatterns: ReadonlySet<DotPattern> = new Set(['standard', 'block', 'diamond', 'triangle'])

export function alignmentPaths(pattern: DotPattern, x: number, y: number): Ring {
  return paths(x, y, alignmentSize, squarePatterns.has(pattern) ? [0, 0, 0] : [1.3, 0.6, 0.5], all)
}

function paths(x: number, y: number, size: number, [outside, inside, eye]: Roundness, which: Which): Ring {
  const square = (inset: number, radius: number) =>
    roundedRectangle({ x: x + inset, y: y + inset, width: size - 2 * inset, height: size - 2 * inset }, [
      radius * which[0],
      radius * which[1],
      radius * which[2],
      radius * which[3],
    ])
  return { ring: square(0, outside) + square(1, inside), eye: square(2, eye) }
}
