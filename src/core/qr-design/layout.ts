/** Where the parts of a picture are. Drawing and the check of contrasts both go by it. */
import { contrast, over, type Rgba, rgba } from './color.js'
import { coveredShare, mostCovered } from './coverage.js'
import type { Caption, QrDesign } from './design.js'
import type { Box } from './drawing.js'
import { type Margins, marginsOf } from './frames.js'
import { letteringSize } from './lettering.js'
import { alignmentSize, type Matrix } from './matrix.js'

/** Modules of ground on each side of the code; scanners need them (ISO/IEC 18004). */
export const quietZone = 4

export interface Layout {
  readonly width: number
  readonly height: number
  /** A hundredth of the code with its quiet zone: frames and texts grow with the code. */
  readonly unit: number
  /** The ground: the code, its quiet zone and the texts above and below. */
  readonly panel: Box
  /** The modules, without the quiet zone. */
  readonly code: Box
  /** Modules that are left out for a logo or a text, counted from the first one. */
  readonly cover: Box | undefined
}

/** In units. */
const captionHeight = 15
const brandHeight = 9

export function layoutOf(design: QrDesign, matrix: Matrix): Layout {
  const { size } = matrix
  const side = size + 2 * quietZone
  const unit = side / 100
  const above = design.text.top ? captionHeight * unit : 0
  const below =
    (design.text.bottom ? captionHeight * unit : 0) + (design.branding.shortlinkBrand ? brandHeight * unit : 0)
  const margins: Margins = marginsOf(design.frame.id)
  const panel = { x: margins.left * unit, y: margins.top * unit, width: side, height: above + side + below }
  return {
    width: panel.x + panel.width + margins.right * unit,
    height: panel.y + panel.height + margins.bottom * unit,
    unit,
    panel,
    code: { x: panel.x + quietZone, y: panel.y + above + quietZone, width: size, height: size },
    cover: coverOf(design, matrix),
  }
}

/** Where the middle of a caption or of the name of the service is. */
export function captionMiddle(
  place: 'top' | 'bottom' | 'brand',
  { panel, code, unit }: Layout,
  design: QrDesign,
): number {
  if (place === 'top') return panel.y + 9.5 * unit
  const below = code.y + code.height + quietZone
  if (place === 'bottom') return below + (captionHeight - 9.5) * unit
  return below + (design.text.bottom ? captionHeight * unit : 0) + 3 * unit
}

/**
 * An odd number of modules in each direction, as the code has, so that it is in the middle. A logo takes up to three
 * tenths of a side, and less where that would cover an alignment pattern or more than error correction makes up for.
 */
function coverOf({ logo, text }: QrDesign, matrix: Matrix): Box | undefined {
  const { size, alignments } = matrix
  if (!logo && !text.center) return undefined
  const [width, height] = logo ? [0.29 * size, 0.29 * size] : centerSize(text.center as Caption, size)
  let [columns, rows] = [oddUp(width - 1), oddUp(height - 1)]
  for (;;) {
    const box = { x: (size - columns) / 2, y: (size - rows) / 2, width: columns, height: rows }
    const isFree = !alignments.some(([x, y]) => overlap(box, { x, y, width: alignmentSize, height: alignmentSize }))
    if (isFree && coveredShare(matrix, box) <= mostCovered) return box
    columns -= 2
    if (logo) rows -= 2
  }
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function centerSize(caption: Caption, size: number): [number, number] {
  const line = { height: 0.09 * size, maxWidth: 0.4 * size }
  const { width, height } = letteringSize(caption.content, line)
  return [width + 2 * aroundText, height + 2 * aroundText]
}

/** Modules between a text in the centre and the dots. */
const aroundText = 1.2

/** The line of a text in the centre. */
export function centerLine({ width, height }: Box): { readonly height: number; readonly maxWidth: number } {
  return { height: height - 2 * aroundText, maxWidth: width - 2 * aroundText }
}

/** The next odd number. */
function oddUp(value: number): number {
  const whole = Math.ceil(value)
  return whole % 2 === 1 ? whole : whole + 1
}

/** A text needs a plate of the colour of the dots where it could not be read on the ground. */
export function needsPlate(caption: Caption, ground: string, dots: string): boolean {
  const white: Rgba = [255, 255, 255, 1]
  const below = over(rgba(ground), white)
  const text = over(rgba(caption.color), below)
  const onGround = contrast(text, below)
  return onGround < 3 && contrast(text, over(rgba(dots), below)) > onGround
}
