/**
 * Draws a QR code by its design. The input was checked before: readDesign() for the values, requireScannable() for what
 * they become together.
 */
import { rgba } from './color.js'
import { type Caption, cornerNames, type Frame, type QrDesign } from './design.js'
import { dotPath } from './dots.js'
import type { Box, Drawing, Paint, Shape } from './drawing.js'
import { frameShapes, linkIcon, panelRadius, readableOn } from './frames.js'
import { captionMiddle, centerLine, type Layout, layoutOf, needsPlate } from './layout.js'
import { lettering, letteringSize } from './lettering.js'
import { alignmentSize, finderSize, type Matrix, moduleMatrix } from './matrix.js'
import { paintOver } from './paint.js'
import { boxAround, rectangle, roundedRectangle } from './paths.js'
import { alignmentPaths, finderPaths, needCare } from './rings.js'

export interface QrAssets {
  /** The bytes of `design.logo`: PNG, JPEG or SVG. */
  readonly logo?: { readonly bytes: Uint8Array; readonly mimeType: string }
}

/** To be raised when the same input becomes another picture: cached ones are not used any more then. */
export const drawingVersion = 1

export function drawQrCode(content: string, design: QrDesign, assets: QrAssets = {}): Drawing {
  const matrix = moduleMatrix(content, design)
  const layout = layoutOf(design, matrix)
  const paints = paintsOf(design, layout)
  const { width, height, code } = layout
  return {
    width,
    height,
    origin: [code.x, code.y],
    ground: design.frame.id === 'none' ? paints.ground : frameGround(design),
    shapes: [
      ...groundShapes(design, layout, paints),
      ...codeShapes(matrix, design, layout, paints),
      ...centreShapes(design, layout, paints, assets),
      ...captionShapes(design, layout, paints),
      ...frameShapes(design.frame.id, frameInput(content, design.frame, layout, paints)),
    ],
  }
}

export interface Paints {
  readonly ground: Paint
  /** Behind the corners, where they have a ground of their own. */
  readonly cornerGround: Paint
  readonly dots: Paint
  readonly corners: readonly { readonly inner: Paint; readonly outer: Paint }[]
}

export function paintsOf(design: QrDesign, { code, panel }: Layout): Paints {
  const { gradient, backgroundGradient, backgroundColor, dotPatternColor } = design
  const dots = paintOver(code, gradient, dotPatternColor)
  const ground = paintOver(panel, backgroundGradient, backgroundColor)
  const ownColors = gradient.style === 'no_gradient' || gradient.excludeCorners
  return {
    ground,
    cornerGround: backgroundGradient.excludeCorners ? backgroundColor : ground,
    dots,
    corners: cornerNames.map((name) => {
      const { innerColor = dotPatternColor, outerColor = dotPatternColor } = design.corners[name]
      return ownColors ? { inner: innerColor, outer: outerColor } : { inner: dots, outer: dots }
    }),
  }
}

function groundShapes(design: QrDesign, layout: Layout, { ground, cornerGround }: Paints): readonly Shape[] {
  const { panel, code, unit, width, height } = layout
  const { id } = design.frame
  const radius = panelRadius(id) * unit
  // Under the border, so that no gap can be seen between them.
  const panelPath = radius === 0 ? rectangle(panel) : roundedRectangle(boxAround(panel, unit), radius + unit)
  const corners = ground === cornerGround ? [] : finderPlaces(code)
  const patches = corners.map(([x, y]) =>
    roundedRectangle({ x: x - 1, y: y - 1, width: finderSize + 2, height: finderSize + 2 }, 1),
  )
  const all = rectangle({ x: 0, y: 0, width, height })
  const isOpaque =
    typeof ground === 'string' ? rgba(ground)[3] === 1 : ground.stops.every(({ color }) => rgba(color)[3] === 1)
  return [
    // One that can be seen through is not put on top of another one.
    ...(id === 'none' ? [] : [{ path: isOpaque ? all : all + panelPath, fill: frameGround(design), evenOdd: true }]),
    { path: panelPath, fill: ground },
    ...(patches.length > 0 ? [{ path: patches.join(''), fill: cornerGround }] : []),
  ]
}

function frameGround({ frame, backgroundColor }: QrDesign): string {
  return frame.colors.background ?? backgroundColor
}

function codeShapes(matrix: Matrix, design: QrDesign, { code, cover }: Layout, paints: Paints): readonly Shape[] {
  const { x: left, y: top } = code
  const pattern = design.dotPatternType
  const solid = new Uint8Array(matrix.size * matrix.size)
  const mark = (x: number, y: number, width: number, height: number) => {
    for (let row = y; row < y + height; row++) solid.fill(1, row * matrix.size + x, row * matrix.size + x + width)
  }
  for (const [x, y] of matrix.finders) mark(x, y, finderSize, finderSize)
  for (const [x, y] of matrix.alignments) mark(x, y, alignmentSize, alignmentSize)
  if (cover) mark(cover.x, cover.y, cover.width, cover.height)
  const dots = {
    size: matrix.size,
    isSet: (x: number, y: number) =>
      x >= 0 && y >= 0 && x < matrix.size && matrix.isDark(x, y) && solid[y * matrix.size + x] === 0,
  }
  const rings = matrix.alignments.map(([x, y]) => alignmentPaths(pattern, x + left, y + top))
  const shapes = cornerNames.map((name) => design.corners[name].shape)
  const isCareful = needCare(shapes, matrix.size)
  const finders = finderPlaces(code).flatMap(([x, y], corner): Shape[] => {
    const { ring, eye } = finderPaths(shapes[corner] ?? 'standard', corner, x, y, isCareful)
    const paint = paints.corners[corner] ?? { inner: paints.dots, outer: paints.dots }
    return [
      { path: ring, fill: paint.outer, evenOdd: true },
      { path: eye, fill: paint.inner },
    ]
  })
  return [
    { path: dotPath(dots, pattern, left, top), fill: paints.dots },
    ...(rings.length > 0
      ? [{ path: rings.map(({ ring, eye }) => ring + eye).join(''), fill: paints.dots, evenOdd: true }]
      : []),
    ...finders,
  ]
}

/** Where the corners begin: top left, top right, bottom left. */
export function finderPlaces({ x, y, width }: Box): readonly (readonly [number, number])[] {
  const far = width - finderSize
  return [
    [x, y],
    [x + far, y],
    [x, y + far],
  ]
}

function centreShapes(design: QrDesign, { code, cover }: Layout, paints: Paints, { logo }: QrAssets): readonly Shape[] {
  if (!cover) return []
  const box = boxAround({ ...cover, x: cover.x + code.x, y: cover.y + code.y }, -0.4)
  if (design.logo) return logo ? [{ ...logo, x: box.x, y: box.y, size: box.width }] : []
  const caption = design.text.center
  return caption ? textShapes(caption, box, centerLine(cover), design, paints) : []
}

function captionShapes(design: QrDesign, layout: Layout, paints: Paints): readonly Shape[] {
  const { panel, unit } = layout
  const texts = (['top', 'bottom'] as const).flatMap((place) => {
    const caption = design.text[place]
    if (!caption) return []
    const middle = captionMiddle(place, layout, design)
    const line = { height: 6.4 * unit, maxWidth: panel.width - 24 * unit }
    const { width } = letteringSize(caption.content, line)
    const plate = width + 10 * unit
    const box = { x: panel.x + (panel.width - plate) / 2, y: middle - 5.5 * unit, width: plate, height: 11 * unit }
    return textShapes(caption, box, line, design, paints)
  })
  return design.branding.shortlinkBrand ? [...texts, ...brandShapes(design, layout, paints)] : texts
}

/** A text in the middle of a box, on a plate where it could not be read otherwise. */
function textShapes(
  caption: Caption,
  box: Box,
  line: { readonly height: number; readonly maxWidth: number },
  design: QrDesign,
  { dots }: Paints,
): readonly Shape[] {
  const { path } = lettering(caption.content, { x: box.x + box.width / 2, y: box.y + box.height / 2, ...line })
  const text = { path, fill: caption.color }
  if (!needsPlate(caption, design.backgroundColor, design.dotPatternColor)) return [text]
  return [{ path: roundedRectangle(box, box.height / 2), fill: dots }, text]
}

function brandShapes(design: QrDesign, layout: Layout, { dots }: Paints): readonly Shape[] {
  const { panel, unit } = layout
  const y = captionMiddle('brand', layout, design)
  const x = panel.x + panel.width / 2
  const icon = 5 * unit
  const { path, width } = lettering('shortlink', { x: x + icon * 0.7, y, height: 3.4 * unit, maxWidth: panel.width })
  const start = x + icon * 0.7 - width / 2
  return [
    { path: linkIcon(start - icon * 0.8, y, icon), stroke: dots, width: 0.8 * unit },
    { path, fill: dots },
  ]
}

/** Like the border of a well-known application, where no colour is asked for. */
const sunset = ['#feda75', '#fa7e1e', '#d62976', '#962fbf', '#4f5bd5']

function frameInput(content: string, frame: Frame, layout: Layout, paints: Paints) {
  const { panel, unit, width, height } = layout
  const { primary: chosen, secondary } = frame.colors
  const usual: Paint =
    frame.id === 'instagram'
      ? { from: [width, 0], to: [0, height], stops: sunset.map((color, index) => ({ color, offset: index / 4 })) }
      : paints.dots
  const primary = chosen ?? usual
  return {
    panel,
    unit,
    primary,
    secondary: secondary ?? (typeof primary === 'string' ? readableOn(primary) : '#ffffff'),
    text: {
      primary: frame.text.primary ?? (frame.id === 'url' ? shownAddress(content) : 'Scan me'),
      secondary: frame.text.secondary ?? shownAddress(content),
    },
  }
}

/** What a person would type in; something else where the content is no short URL. */
function shownAddress(content: string): string {
  const [, address = ''] = /^https?:\/\/([!-~]+?)\/?(?:\?r=qr)?$/i.exec(content) ?? []
  const [host = ''] = address.split(/[/?#]/)
  if (address !== '' && address.length <= 32) return address
  return host !== '' && host.length <= 32 ? host : 'Scan me'
}
