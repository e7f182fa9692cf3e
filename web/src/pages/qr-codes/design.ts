/** How a QR code looks, as the API says it. The studio changes the parts that it shows; all others stay as they are. */
import type { QrDesign } from '../../api/types.js'

type Corners = NonNullable<QrDesign['corners']>
type Corner = NonNullable<Corners['corner_1']>
export type Pattern = NonNullable<QrDesign['dot_pattern_type']>
export type Shape = NonNullable<Corner['shape']>

export const plain: QrDesign = {
  background_color: '#ffffff',
  dot_pattern_color: '#1d222e',
  dot_pattern_type: 'standard',
}

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
export function shapeOf({ corners = {} }: QrDesign): Shape | null {
  const [first, ...others] = [corners.corner_1, corners.corner_2, corners.corner_3].map(
    (corner) => corner?.shape ?? 'standard',
  )
  return first !== undefined && others.every((shape) => shape === first) ? first : null
}

export function withLogo({ logo: _before, ...design }: QrDesign, image: string | undefined): QrDesign {
  return image === undefined ? design : { ...design, logo: { image_guid: image } }
}

/** The parts of a design that the studio does not show. */
export function otherParts({ gradient, background_gradient, frame, text = {} }: QrDesign): readonly OtherPart[] {
  const used = {
    gradient: [gradient, background_gradient].some((each) => (each?.style ?? 'no_gradient') !== 'no_gradient'),
    frame: (frame?.id ?? 'none') !== 'none',
    text: (text.center ?? text.top ?? text.bottom) !== undefined,
  }
  return (['gradient', 'frame', 'text'] as const).filter((part) => used[part])
}

type OtherPart = 'gradient' | 'frame' | 'text'

function eachCorner(design: QrDesign, change: (corner: Corner) => Corner): QrDesign {
  const { corner_1 = {}, corner_2 = {}, corner_3 = {} } = design.corners ?? {}
  return { ...design, corners: { corner_1: change(corner_1), corner_2: change(corner_2), corner_3: change(corner_3) } }
}
