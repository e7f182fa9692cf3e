/** Path data of simple shapes. */
import type { Box } from './drawing.js'

/** As short as it can be: three digits are a thousandth of a module. */
export function tidy(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** Where the handles of a curve are that looks like a quarter of a circle. */
const round = 0.5523

export function rectangle({ x, y, width, height }: Box): string {
  return `M${tidy(x)} ${tidy(y)}h${tidy(width)}v${tidy(height)}h${tidy(-width)}z`
}

/** How far each corner is rounded: top left, top right, bottom right, bottom left. A negative one is cut out instead. */
type Radii = readonly [topLeft: number, topRight: number, bottomRight: number, bottomLeft: number]

export function roundedRectangle({ x, y, width, height }: Box, radii: number | Radii): string {
  const most = Math.min(width, height) / 2
  const within = (radius: number) => Math.max(-most, Math.min(most, radius))
  const [tl, tr, br, bl] =
    typeof radii === 'number' ? fourTimes(within(radii)) : (radii.map(within) as unknown as Radii)
  const [right, bottom] = [x + width, y + height]
  return (
    `M${tidy(x + Math.abs(tl))} ${tidy(y)}L${tidy(right - Math.abs(tr))} ${tidy(y)}` +
    corner(tr, [right - Math.abs(tr), y], [right, y + Math.abs(tr)], [right, y]) +
    `L${tidy(right)} ${tidy(bottom - Math.abs(br))}` +
    corner(br, [right, bottom - Math.abs(br)], [right - Math.abs(br), bottom], [right, bottom]) +
    `L${tidy(x + Math.abs(bl))} ${tidy(bottom)}` +
    corner(bl, [x + Math.abs(bl), bottom], [x, bottom - Math.abs(bl)], [x, bottom]) +
    `L${tidy(x)} ${tidy(y + Math.abs(tl))}` +
    corner(tl, [x, y + Math.abs(tl)], [x + Math.abs(tl), y], [x, y]) +
    'z'
  )
}

export function circle(x: number, y: number, radius: number): string {
  return roundedRectangle({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }, radius)
}

export function boxAround(box: Box, margin: number): Box {
  return {
    x: box.x - margin,
    y: box.y - margin,
    width: box.width + 2 * margin,
    height: box.height + 2 * margin,
  }
}

function fourTimes(radius: number): Radii {
  return [radius, radius, radius, radius]
}

type Point = readonly [x: number, y: number]

/** A quarter of a circle round the inside of a corner, or round the corner itself. */
function corner(radius: number, from: Point, to: Point, tip: Point): string {
  if (radius === 0) return ''
  const center: Point = [from[0] + to[0] - tip[0], from[1] + to[1] - tip[1]]
  const towards = radius > 0 ? tip : center
  const handle = ([x, y]: Point) => `${tidy(x + (towards[0] - x) * round)} ${tidy(y + (towards[1] - y) * round)}`
  return `C${handle(from)} ${handle(to)} ${tidy(to[0])} ${tidy(to[1])}`
}
