/** How a QR code looks, as the API says it, and how the studio changes it. */
import type { QrDesign } from '../../../api/types.js'

type Corners = NonNullable<QrDesign['corners']>
type Corner = NonNullable<Corners['corner_1']>
export type Pattern = NonNullable<QrDesign['dot_pattern_type']>
export type Shape = NonNullable<Corner['shape']>
export type Gradient = NonNullable<QrDesign['gradient']>
export type GradientStyle = NonNullable<Gradient['style']>
export type Frame = NonNullable<QrDesign['frame']>
type Texts = NonNullable<QrDesign['text']>
export type TextPlace = keyof Texts

/** Passes on how to change the design, so that changes that come together do not undo each other. */
export interface DesignProps {
  readonly design: QrDesign
  readonly onChange: (change: (design: QrDesign) => QrDesign) => void
}

export const plain: QrDesign = {
  background_color: '#ffffff',
  dot_pattern_color: '#1d222e',
  dot_pattern_type: 'standard',
}

/** As the API has them. */
export const mostColors = 8
export const longestText = { center: 16, top: 40, bottom: 40, frame: 40 }

/** Corners that have the colour of the dots keep it. */
export function withDots(design: QrDesign, color: string): QrDesign {
  const before = design.dot_pattern_color
  return eachCorner({ ...design, dot_pattern_color: color }, ({ inner_color, outer_color, ...rest }) => ({
    ...rest,
    ...(inner_color !== undefined && inner_color !== before && { inner_color }),
    ...(outer_color !== undefined && outer_color !== before && { outer_color }),
  }))
}

export function withShape(design: QrDesign, shape: Shape): QrDesign {
  return eachCorner(design, (corner) => ({ ...corner, shape }))
}

/** Null when the corners differ. */
export function shapeOf(design: QrDesign): Shape | null {
  const [first, ...others] = cornersOf(design).map(({ shape = 'standard' }) => shape)
  return first !== undefined && others.every((shape) => shape === first) ? first : null
}

type CornerColor = 'inner_color' | 'outer_color'

/** Undefined: that of the dots. */
export function withCornerColor(design: QrDesign, name: CornerColor, color: string | undefined): QrDesign {
  return eachCorner(design, ({ [name]: _before, ...corner }) => ({ ...corner, ...(color && { [name]: color }) }))
}

/** Undefined also when the corners differ. */
export function cornerColorOf(design: QrDesign, name: CornerColor): string | undefined {
  const [first, ...others] = cornersOf(design).map((corner) => corner[name])
  return others.every((color) => color === first) ? first : undefined
}

export function withLogo({ logo: _before, ...design }: QrDesign, image: string | undefined): QrDesign {
  return image === undefined ? design : { ...design, logo: { image_guid: image } }
}

/** `colors` are those to begin with. Another style keeps the colours that were chosen. */
export function withStyle(gradient: Gradient, style: GradientStyle, colors: readonly string[]): Gradient {
  const chosen = gradient.colors?.length ? gradient.colors : spread(colors)
  return { ...gradient, style, colors: chosen }
}

export function withOneMore(gradient: Gradient): Gradient {
  const colors = (gradient.colors ?? []).map(({ color }) => color)
  return { ...gradient, colors: spread([...colors, colors.at(-1) ?? '#000000']) }
}

function spread(colors: readonly string[]) {
  return colors.map((color, at) => ({ color, offset: Math.round((100 * at) / Math.max(1, colors.length - 1)) }))
}

/** What is empty is left out, and chosen by the API. */
export function withFrame(design: QrDesign, part: 'colors' | 'text', name: string, value: string): QrDesign {
  const frame: Frame = design.frame ?? { id: 'none' }
  const { [name]: _before, ...others }: Record<string, string> = { ...frame[part] }
  return { ...design, frame: { ...frame, [part]: { ...others, ...(value !== '' && { [name]: value }) } } }
}

export function withText(design: QrDesign, place: TextPlace, content: string, color?: string): QrDesign {
  const { [place]: before, ...others } = design.text ?? {}
  const kept = color ?? before?.color
  return {
    ...design,
    text: content === '' ? others : { ...others, [place]: { content, ...(kept !== undefined && { color: kept }) } },
  }
}

function eachCorner(design: QrDesign, change: (corner: Corner) => Corner): QrDesign {
  const [corner_1, corner_2, corner_3] = cornersOf(design).map(change)
  return {
    ...design,
    corners: { ...(corner_1 && { corner_1 }), ...(corner_2 && { corner_2 }), ...(corner_3 && { corner_3 }) },
  }
}

function cornersOf({ corners = {} }: QrDesign): readonly Corner[] {
  const { corner_1 = {}, corner_2 = {}, corner_3 = {} } = corners
  return [corner_1, corner_2, corner_3]
}
