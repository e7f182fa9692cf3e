/** `render_customizations` on the wire (docs/api/qr-codes.md#styles), and its way to a design and back. */
import { type Static, Type } from 'typebox'
import {
  cornerShapes,
  dotPatterns,
  frameIds,
  gradientStyles,
  longestText,
  mostStops,
  type QrDesign,
  readDesign,
} from '../../../core/qr-design/design.js'
import { bounds } from '../../http/validation.js'
import { guidBounds } from './bounds.js'

const colorBounds = bounds({
  pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$',
  examples: ['#1a2b3c', '#1a2b3c80'],
})
const color = (description: string) => Type.String({ ...colorBounds, description })
const choice = (values: readonly string[], description: string) =>
  Type.String({
    ...bounds({ enum: values }),
    description: `${description}: ${values.join(', ')}; the first by default`,
  })
const line = (longest: number, description: string) =>
  Type.String({
    ...bounds({ minLength: 1, maxLength: longest }),
    description: `${description}, up to ${longest} characters`,
  })

const Corner = Type.Object(
  {
    inner_color: Type.Optional(color('Of the dot inside; that of the dots by default')),
    outer_color: Type.Optional(color('Of the ring; that of the dots by default')),
    shape: Type.Optional(choice(cornerShapes, 'One of')),
  },
  { title: 'QrCorner' },
)
const Gradient = Type.Object(
  {
    style: Type.Optional(choice(gradientStyles, 'One of')),
    angle: Type.Optional(
      Type.Number({ description: 'Of a linear gradient, in degrees: 0 from left to right, 90 downwards' }),
    ),
    colors: Type.Optional(
      Type.Array(
        Type.Object({
          color: color('The colour there'),
          offset: Type.Optional(
            Type.Number({
              ...bounds({ minimum: 0, maximum: 100 }),
              description: 'Where: 0 to 100 percent; 0 by default',
            }),
          ),
        }),
        { ...bounds({ maxItems: mostStops }), description: 'At least 2 of a gradient' },
      ),
    ),
    exclude_corners: Type.Optional(Type.Boolean({ description: 'The corners keep their own colours' })),
  },
  { title: 'QrGradient' },
)
const Caption = (longest: number) =>
  Type.Object({
    content: line(longest, 'The text'),
    color: Type.Optional(color('#ffffff by default')),
  })

export const RenderCustomizations = Type.Object(
  {
    background_color: Type.Optional(color('#ffffff by default')),
    dot_pattern_color: Type.Optional(color('#000000 by default')),
    dot_pattern_type: Type.Optional(choice(dotPatterns, 'The shape of the dots')),
    corners: Type.Optional(
      Type.Object(
        {
          corner_1: Type.Optional(Corner),
          corner_2: Type.Optional(Corner),
          corner_3: Type.Optional(Corner),
        },
        { description: 'The large squares: top left, top right, bottom left' },
      ),
    ),
    gradient: Type.Optional(Gradient),
    background_gradient: Type.Optional(Gradient),
    logo: Type.Optional(Type.Object({ image_guid: Type.String(guidBounds) })),
    frame: Type.Optional(
      Type.Object({
        id: Type.String({ ...bounds({ enum: frameIds }), description: `One of ${frameIds.join(', ')}` }),
        colors: Type.Optional(
          Type.Object({
            primary: Type.Optional(color('Of the frame')),
            secondary: Type.Optional(color('Of the text in it')),
            background: Type.Optional(color('Behind it')),
          }),
        ),
        text: Type.Optional(
          Type.Object({
            primary: Type.Optional(line(longestText.frame, 'The text')),
            secondary: Type.Optional(line(longestText.frame, 'The second text of frames that have one')),
          }),
        ),
      }),
    ),
    text: Type.Optional(
      Type.Object({
        center: Type.Optional(Caption(longestText.center)),
        top: Type.Optional(Caption(longestText.top)),
        bottom: Type.Optional(Caption(longestText.bottom)),
      }),
    ),
    branding: Type.Optional(
      Type.Object({ shortlink_brand: Type.Optional(Type.Boolean({ description: 'Adds the name of the service' })) }),
    ),
    spec_settings: Type.Optional(
      Type.Object({
        error_correction: Type.Optional(
          Type.Integer({
            ...bounds({ minimum: 1, maximum: 4 }),
            description: '1 (lowest) to 4; 2 by default. A logo or a text in the centre makes it 4',
          }),
        ),
      }),
    ),
  },
  { title: 'QrDesign', description: 'How the code looks' },
)
type Wire = Static<typeof RenderCustomizations>

/** Refuses a value that is not documented, with its path. */
export function designFrom(sent: Wire): QrDesign {
  const { corners = {} } = sent
  return readDesign({
    backgroundColor: sent.background_color,
    dotPatternColor: sent.dot_pattern_color,
    dotPatternType: sent.dot_pattern_type,
    corners: {
      corner_1: cornerFrom(corners.corner_1),
      corner_2: cornerFrom(corners.corner_2),
      corner_3: cornerFrom(corners.corner_3),
    },
    gradient: gradientFrom(sent.gradient),
    backgroundGradient: gradientFrom(sent.background_gradient),
    logo: sent.logo && { imageGuid: sent.logo.image_guid },
    frame: sent.frame,
    text: sent.text,
    branding: { shortlinkBrand: sent.branding?.shortlink_brand },
    specSettings: { errorCorrection: sent.spec_settings?.error_correction },
  })
}

export function presentDesign(design: QrDesign): Wire {
  const { corners, logo, frame } = design
  return {
    background_color: design.backgroundColor,
    dot_pattern_color: design.dotPatternColor,
    dot_pattern_type: design.dotPatternType,
    corners: {
      corner_1: presentCorner(corners.corner_1),
      corner_2: presentCorner(corners.corner_2),
      corner_3: presentCorner(corners.corner_3),
    },
    gradient: presentGradient(design.gradient),
    background_gradient: presentGradient(design.backgroundGradient),
    ...(logo && { logo: { image_guid: logo.imageGuid } }),
    frame: { id: frame.id, colors: { ...frame.colors }, text: { ...frame.text } },
    text: { ...design.text },
    branding: { shortlink_brand: design.branding.shortlinkBrand },
    spec_settings: { error_correction: design.specSettings.errorCorrection },
  }
}

function cornerFrom(sent: Static<typeof Corner> | undefined) {
  return sent && { innerColor: sent.inner_color, outerColor: sent.outer_color, shape: sent.shape }
}

function presentCorner({ innerColor, outerColor, shape }: QrDesign['corners']['corner_1']): Static<typeof Corner> {
  return {
    ...(innerColor !== undefined && { inner_color: innerColor }),
    ...(outerColor !== undefined && { outer_color: outerColor }),
    shape,
  }
}

function gradientFrom(sent: Static<typeof Gradient> | undefined) {
  return sent && { style: sent.style, angle: sent.angle, colors: sent.colors, excludeCorners: sent.exclude_corners }
}

function presentGradient({ style, angle, colors, excludeCorners }: QrDesign['gradient']): Static<typeof Gradient> {
  return { style, angle, colors: [...colors], exclude_corners: excludeCorners }
}
