/**
 * Frames round a code. Each says how much room it takes on each side and what it draws there; nothing of it is on the code
 * or in its quiet zone. Lengths are in units (layout.ts), so that a frame looks the same round small and large codes.
 */
import { contrast, over, rgba } from './color.js'
import type { FrameId } from './design.js'
import type { Box, Paint, Shape } from './drawing.js'
import { lettering, letteringSize } from './lettering.js'
import { boxAround, circle, roundedRectangle, tidy } from './paths.js'

export interface Margins {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

export interface FrameInput {
  readonly panel: Box
  readonly unit: number
  readonly primary: Paint
  /** Of texts on the primary colour. */
  readonly secondary: string
  readonly text: { readonly primary: string; readonly secondary: string }
}

interface FrameKind {
  readonly margins: Margins
  /** How round the panel is. */
  readonly radius: number
  draw(input: FrameInput): readonly Shape[]
}

/** Round the frame, so that it does not touch the edge of the picture. */
const outer = 3
const border = 3
const radius = 7
const bar = 17
const gap = 4

const around = (extra: Partial<Margins> = {}): Margins => {
  const all = outer + border
  return { top: all, right: all, bottom: all, left: all, ...extra }
}

const kinds: Readonly<Record<FrameId, FrameKind>> = {
  none: { margins: { top: 0, right: 0, bottom: 0, left: 0 }, radius: 0, draw: () => [] },
  border_only: { margins: around(), radius, draw: (input) => [ring(input)] },
  text_bottom: {
    margins: around({ bottom: outer + border + gap + bar }),
    radius,
    draw: (input) => [ring(input), ...label(input, barBelow(input, gap))],
  },
  tooltip_bottom: {
    margins: around({ bottom: outer + border + gap + 3 + bar }),
    radius,
    draw: (input) => {
      const below = barBelow(input, gap + 3)
      const middle = below.x + below.width / 2
      const { unit, primary } = input
      const tip = `M${tidy(middle - 6 * unit)} ${tidy(below.y + 0.1)}L${tidy(middle)} ${tidy(below.y - 5 * unit)}L${tidy(middle + 6 * unit)} ${tidy(below.y + 0.1)}z`
      return [ring(input), { path: tip, fill: primary }, ...label(input, below)]
    },
  },
  arrow: {
    margins: { top: outer, right: outer, bottom: outer + 19, left: outer },
    radius: 0,
    draw: arrow,
  },
  text_top: {
    margins: around({ top: outer + border + gap + bar }),
    radius,
    draw: (input) => [ring(input), ...label(input, barAbove(input))],
  },
  text_bottom_in_frame: {
    margins: around({ bottom: outer + bar + 1 }),
    radius: radius - 2,
    draw: (input) => [card(input, border, bar + 1), textIn(input, bandBelow(input, bar + 1), input.text.primary)],
  },
  script: {
    margins: around({ bottom: outer + 14 }),
    radius,
    draw: script,
  },
  text_top_and_bottom: {
    margins: around({ top: outer + bar + 1, bottom: outer + bar + 1 }),
    radius: radius - 2,
    draw: (input) => [
      card(input, bar + 1, bar + 1),
      textIn(input, bandAbove(input, bar + 1), input.text.primary),
      textIn(input, bandBelow(input, bar + 1), input.text.secondary),
    ],
  },
  url: {
    margins: around({ bottom: outer + border + gap + bar }),
    radius,
    draw: url,
  },
  instagram: {
    margins: around({ bottom: outer + bar + 3 }),
    radius: radius - 2,
    draw: instagram,
  },
}

export function marginsOf(id: FrameId): Margins {
  return kinds[id].margins
}

/** How round the corners of the panel are inside of a frame, in units. */
export function panelRadius(id: FrameId): number {
  return kinds[id].radius
}

export function frameShapes(id: FrameId, input: FrameInput): readonly Shape[] {
  return kinds[id].draw(input)
}

/** The colour that can be read best on another one. */
export function readableOn(color: string): string {
  const ground = over(rgba(color), [255, 255, 255, 1])
  return contrast(rgba('#ffffff'), ground) >= contrast(rgba('#000000'), ground) ? '#ffffff' : '#000000'
}

/** The border round the panel. */
function ring({ panel, unit, primary }: FrameInput): Shape {
  return {
    path:
      roundedRectangle(boxAround(panel, border * unit), (radius + border) * unit) +
      roundedRectangle(panel, radius * unit),
    fill: primary,
    evenOdd: true,
  }
}

/** A border that is wide enough for text above or below the panel. */
function card({ panel, unit, primary }: FrameInput, above: number, below: number): Shape {
  const sides = boxAround(panel, border * unit)
  const box = { ...sides, y: panel.y - above * unit, height: panel.height + (above + below) * unit }
  return {
    path: roundedRectangle(box, (radius + 1) * unit) + roundedRectangle(panel, (radius - 2) * unit),
    fill: primary,
    evenOdd: true,
  }
}

function bandBelow({ panel, unit }: FrameInput, height: number): Box {
  return { x: panel.x, y: panel.y + panel.height, width: panel.width, height: height * unit }
}

function bandAbove({ panel, unit }: FrameInput, height: number): Box {
  return { x: panel.x, y: panel.y - height * unit, width: panel.width, height: height * unit }
}

function barBelow({ panel, unit }: FrameInput, distance: number): Box {
  const sides = boxAround(panel, border * unit)
  return { ...sides, y: sides.y + sides.height + distance * unit, height: bar * unit }
}

function barAbove({ panel, unit }: FrameInput): Box {
  const sides = boxAround(panel, border * unit)
  return { ...sides, y: sides.y - (gap + bar) * unit, height: bar * unit }
}

/** The first text on a bar. */
function label(input: FrameInput, box: Box): readonly Shape[] {
  const { unit, primary, text } = input
  return [{ path: roundedRectangle(box, (radius + border) * unit), fill: primary }, textIn(input, box, text.primary)]
}

function textIn({ unit, secondary }: FrameInput, box: Box, text: string): Shape {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  return {
    path: lettering(text, { ...middle, height: 7.6 * unit, maxWidth: box.width - 12 * unit }).path,
    fill: secondary,
  }
}

/** A text below, from which a drawn arrow goes up to the code. */
function arrow({ panel, unit, primary, text }: FrameInput): readonly Shape[] {
  const arrowWidth = 15 * unit
  const y = panel.y + panel.height + 9 * unit
  const line = { y, height: 8 * unit, maxWidth: panel.width - 2 * arrowWidth }
  const { width } = letteringSize(text.primary, line)
  const middle = panel.x + panel.width / 2 + arrowWidth / 2
  const from = middle - width / 2 - 3 * unit
  const [tipX, tipY] = [from - 10 * unit, panel.y + panel.height - 1 * unit]
  const point = (x: number, dy: number) => `${tidy(x)} ${tidy(dy)}`
  const shaft = `M${point(from, y + unit)}C${point(from - 5 * unit, y + 3 * unit)} ${point(tipX, y + 2 * unit)} ${point(tipX, tipY)}`
  const head = `M${point(tipX - 4 * unit, tipY + 4.6 * unit)}L${point(tipX, tipY)}L${point(tipX + 4 * unit, tipY + 4.6 * unit)}`
  return [
    { path: lettering(text.primary, { ...line, x: middle }).path, fill: primary },
    { path: shaft + head, stroke: primary, width: 2 * unit },
  ]
}

/** A border that is open at the bottom, where a handwritten text stands in it. */
function script({ panel, unit, primary, text }: FrameInput): readonly Shape[] {
  const box = { ...boxAround(panel, (border / 2) * unit), height: panel.height + (border / 2 + 7) * unit }
  const bottom = box.y + box.height
  const line = {
    font: 'script' as const,
    x: box.x + box.width / 2,
    y: bottom,
    height: 11 * unit,
    maxWidth: box.width * 0.74,
  }
  const { path, width } = lettering(text.primary, line)
  const [left, right] = [line.x - width / 2 - 3 * unit, line.x + width / 2 + 3 * unit]
  return [
    { path: openAtBottom(box, (radius + border / 2) * unit, left, right), stroke: primary, width: border * unit },
    { path, fill: primary },
  ]
}

/** A rounded rectangle from one point of its lower side round to another one. */
function openAtBottom({ x, y, width, height }: Box, r: number, left: number, right: number): string {
  const [far, bottom] = [x + width, y + height]
  const k = r * 0.4477
  const p = (...numbers: readonly number[]) => numbers.map(tidy).join(' ')
  return (
    `M${p(Math.max(left, x + r), bottom)}L${p(x + r, bottom)}C${p(x + k, bottom, x, bottom - k, x, bottom - r)}` +
    `L${p(x, y + r)}C${p(x, y + k, x + k, y, x + r, y)}` +
    `L${p(far - r, y)}C${p(far - k, y, far, y + k, far, y + r)}` +
    `L${p(far, bottom - r)}C${p(far, bottom - k, far - k, bottom, far - r, bottom)}L${p(Math.min(right, far - r), bottom)}`
  )
}

/** A bar like the address bar of a browser. */
function url(input: FrameInput): readonly Shape[] {
  const { unit, primary, secondary, text } = input
  const box = barBelow(input, gap)
  const [r, y] = [box.height / 2, box.y + box.height / 2]
  const knob = box.x + r
  const field = { ...box, x: box.x + 1.6 * r, width: box.width - 2 * r }
  return [
    ring(input),
    { path: roundedRectangle(box, r), fill: primary },
    { path: circle(knob, y, r - 2 * unit), fill: secondary },
    { path: linkIcon(knob, y, 8.6 * unit), stroke: primary, width: 1.5 * unit },
    {
      path: lettering(text.primary, {
        x: field.x + field.width / 2,
        y,
        height: 6.4 * unit,
        maxWidth: field.width - 4 * unit,
      }).path,
      fill: secondary,
    },
  ]
}

/** A card with a camera in front of its text. */
function instagram(input: FrameInput): readonly Shape[] {
  const { unit, secondary, text } = input
  const band = bandBelow(input, bar + 3)
  const icon = 11 * unit
  const y = band.y + band.height / 2
  const line = { y, height: 7 * unit, maxWidth: band.width - icon - 16 * unit }
  const { width } = letteringSize(text.primary, line)
  const left = band.x + (band.width - width - icon - 4 * unit) / 2
  return [
    card(input, border, bar + 3),
    ...camera(left, y - icon / 2, icon, secondary),
    { path: lettering(text.primary, { ...line, x: left + icon + 4 * unit + width / 2 }).path, fill: secondary },
  ]
}

function camera(x: number, y: number, size: number, color: string): readonly Shape[] {
  const [cx, cy, stroke] = [x + size / 2, y + size / 2, size * 0.12]
  const body = boxAround({ x, y, width: size, height: size }, -stroke / 2)
  return [
    { path: roundedRectangle(body, size * 0.26) + circle(cx, cy, size * 0.21), stroke: color, width: stroke },
    { path: circle(x + size * 0.735, y + size * 0.265, size * 0.075), fill: color },
  ]
}

/** Two links of a chain, to be stroked. */
export function linkIcon(x: number, y: number, width: number): string {
  const p = (...numbers: readonly number[]) =>
    numbers.map((value, index) => tidy((index % 2 === 0 ? x : y) + value * width)).join(' ')
  return (
    `M${p(-0.1, -0.23)}L${p(-0.27, -0.23)}C${p(-0.397, -0.23, -0.5, -0.127, -0.5, 0)}C${p(-0.5, 0.127, -0.397, 0.23, -0.27, 0.23)}L${p(-0.1, 0.23)}` +
    `M${p(0.1, -0.23)}L${p(0.27, -0.23)}C${p(0.397, -0.23, 0.5, -0.127, 0.5, 0)}C${p(0.5, 0.127, 0.397, 0.23, 0.27, 0.23)}L${p(0.1, 0.23)}` +
    `M${p(-0.22, 0)}L${p(0.22, 0)}`
  )
}
