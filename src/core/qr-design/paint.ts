/** Gradients of designs as paints of a drawing, and the colour that a paint has at a point. */
import { mixed, type Rgba, rgba } from './color.js'
import type { Gradient } from './design.js'
import type { Box, Paint } from './drawing.js'

/** The gradient over a box, or the colour where there is none. */
export function paintOver(box: Box, gradient: Gradient, color: string): Paint {
  if (gradient.style === 'no_gradient') return color
  const stops = gradient.colors.map((stop) => ({ color: stop.color, offset: stop.offset / 100 }))
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  if (gradient.style === 'radial') return { center: [x, y], radius: Math.hypot(box.width, box.height) / 2, stops }
  const angle = (gradient.angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  // Long enough that the first and the last colour are in the corners.
  const half = (Math.abs(box.width * cos) + Math.abs(box.height * sin)) / 2
  return { from: [x - cos * half, y - sin * half], to: [x + cos * half, y + sin * half], stops }
}

/** Tells the colour of a paint at a point, as the writers of pictures see it. */
export function colorsOf(paint: Paint): (x: number, y: number) => Rgba {
  if (typeof paint === 'string') {
    const color = rgba(paint)
    return () => color
  }
  const stops = paint.stops.map(({ color, offset }) => ({ color: rgba(color), offset }))
  const at = (offset: number): Rgba => {
    const after = stops.findIndex((stop) => stop.offset >= offset)
    const [before, next] = [stops[after - 1], stops[after]]
    if (!next) return stops.at(-1)?.color ?? rgba('#000000')
    if (!before || next.offset === before.offset) return next.color
    return mixed(before.color, next.color, (offset - before.offset) / (next.offset - before.offset))
  }
  if ('radius' in paint) {
    const { center, radius } = paint
    return (x, y) => at(Math.hypot(x - center[0], y - center[1]) / radius)
  }
  const [dx, dy] = [paint.to[0] - paint.from[0], paint.to[1] - paint.from[1]]
  const length = dx * dx + dy * dy
  return (x, y) => at(length === 0 ? 1 : ((x - paint.from[0]) * dx + (y - paint.from[1]) * dy) / length)
}
