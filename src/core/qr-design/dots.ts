/** The modules that hold data, in one of the patterns of a design. */
import type { DotPattern } from './design.js'
import { rectangle, roundedRectangle, tidy } from './paths.js'

export interface Dots {
  /** Modules along one side. */
  readonly size: number
  /** Whether a dot is drawn there; false outside. */
  isSet(x: number, y: number): boolean
}

/** Path data of all dots; the first module is at `left` and `top`. */
export function dotPath(dots: Dots, pattern: DotPattern, left: number, top: number): string {
  return patterns[pattern](dots, left, top)
}

type Draw = (dots: Dots, left: number, top: number) => string

const patterns: Readonly<Record<DotPattern, Draw>> = {
  standard: (dots, left, top) =>
    runs(dots, 'horizontal', (x, y, length) => rectangle({ x: x + left, y: y + top, width: length, height: 1 })),
  circle: each('m.5 .04c.254 0 .46.206.46.46c0 .254-.206.46-.46.46c-.254 0-.46-.206-.46-.46c0-.254.206-.46.46-.46z'),
  block: each('m.06.06h.88v.88h-.88z'),
  blob: joined(true),
  rounded: joined(false),
  vertical: (dots, left, top) => runs(dots, 'vertical', (x, y, length) => bar(x + left, y + top, 1, length)),
  horizontal: (dots, left, top) => runs(dots, 'horizontal', (x, y, length) => bar(x + left, y + top, length, 1)),
  triangle: each('m.5-.04c.28.24.48.64.54 1.06h-1.08c.06-.42.26-.82.54-1.06z'),
  heart: each(
    'm.5 .98c-.1-.1-.5-.36-.5-.66c0-.17.13-.3.28-.3c.1 0 .18.05.22.13c.04-.08.12-.13.22-.13c.15 0 .28.13.28.3c0 .3-.4.56-.5.66z',
  ),
  star: each(star()),
  diamond: each('m.5-.04l.54.54l-.54.54l-.54-.54z'),
}

/** The same small shape for each dot, from the top left corner of its module. */
function each(shape: string): Draw {
  return (dots, left, top) => {
    const [columns, rows] = [placesFrom(left, dots.size), placesFrom(top, dots.size)]
    let path = ''
    for (let y = 0; y < dots.size; y++) {
      for (let x = 0; x < dots.size; x++) if (dots.isSet(x, y)) path += `M${columns[x]} ${rows[y]}${shape}`
    }
    return path
  }
}

/** One after another, as texts: writing a number takes longer than all else that is done for a dot. */
function placesFrom(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(tidy(index + first)))
}

/** Neighbours in one direction as one shape. */
function runs(
  { size, isSet }: Dots,
  direction: 'horizontal' | 'vertical',
  shape: (x: number, y: number, length: number) => string,
): string {
  const at = (along: number, across: number) =>
    direction === 'horizontal' ? isSet(along, across) : isSet(across, along)
  let path = ''
  for (let across = 0; across < size; across++) {
    for (let along = 0; along < size; along++) {
      const first = along
      while (along < size && at(along, across)) along++
      if (along === first) continue
      path += direction === 'horizontal' ? shape(first, across, along - first) : shape(across, first, along - first)
    }
  }
  return path
}

function bar(x: number, y: number, width: number, height: number): string {
  return roundedRectangle({ x: x + 0.08, y: y + 0.08, width: width - 0.16, height: height - 0.16 }, 0.42)
}

/** Neighbours grow together, and what sticks out is round; as a blob, the corners between them are filled too. */
function joined(isBlob: boolean): Draw {
  return ({ size, isSet }, left, top) => {
    const [columns, rows, middles] = [
      placesFrom(left, size + 1),
      placesFrom(top, size + 1),
      placesFrom(top + 0.5, size),
    ]
    let path = ''
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const up = isSet(x, y - 1)
        const right = isSet(x + 1, y)
        const down = isSet(x, y + 1)
        const back = isSet(x - 1, y)
        if (isSet(x, y))
          path += `M${columns[x]} ${middles[y]}${softSquare(!(up || back), !(up || right), !(down || right), !(down || back))}`
        else if (isBlob) {
          if (up && back && isSet(x - 1, y - 1)) path += `M${columns[x]} ${rows[y]}${fillets.topLeft}`
          if (up && right && isSet(x + 1, y - 1)) path += `M${columns[x + 1]} ${rows[y]}${fillets.topRight}`
          if (down && right && isSet(x + 1, y + 1)) path += `M${columns[x + 1]} ${rows[y + 1]}${fillets.bottomRight}`
          if (down && back && isSet(x - 1, y + 1)) path += `M${columns[x]} ${rows[y + 1]}${fillets.bottomLeft}`
        }
      }
    }
    return path
  }
}

/** A module with some of its corners round, from the middle of its left side. */
function softSquare(tl: boolean, tr: boolean, br: boolean, bl: boolean): string {
  return (
    (tl ? 'c0-.276.224-.5.5-.5' : 'v-.5h.5') +
    (tr ? 'c.276 0 .5.224.5.5' : 'h.5v.5') +
    (br ? 'c0 .276-.224.5-.5.5' : 'v.5h-.5') +
    (bl ? 'c-.276 0-.5-.224-.5-.5' : 'h-.5v-.5') +
    'z'
  )
}

/** Fills an inner corner; the signs say where the light module is. */
function fillet(toX: number, toY: number): string {
  const r = 0.32
  return `h${toX * r}c${-toX * 0.177} 0 ${-toX * r} ${toY * 0.143} ${-toX * r} ${toY * r}z`
}

/** By the corner of the light module that is filled. */
const fillets = {
  topLeft: fillet(1, 1),
  topRight: fillet(-1, 1),
  bottomRight: fillet(-1, -1),
  bottomLeft: fillet(1, -1),
}

/** Five points that reach a little beyond the module, and a wide middle. */
function star(): string {
  const points = Array.from({ length: 10 }, (_, index) => {
    const radius = index % 2 === 0 ? 0.6 : 0.36
    const angle = (Math.PI * index) / 5
    return [0.5 + radius * Math.sin(angle), 0.54 - radius * Math.cos(angle)] as const
  })
  const steps = points.map(([x, y], index) => {
    const [fromX, fromY] = points[index - 1] ?? [0, 0]
    return `${index === 0 ? 'm' : 'l'}${tidy(x - fromX)} ${tidy(y - fromY)}`
  })
  return `${steps.join('')}z`
}
