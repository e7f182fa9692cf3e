/**
 * The look of a QR code (docs/api/qr-codes.md#styles): what `render_customizations` may say, with every default filled in.
 * A design is plain JSON, so that a record can hold it as text. Colours are `#rrggbb` or `#rrggbbaa` in lower case.
 */
import { invalid, quoted } from '../values/refusal.js'
import { readColor } from './color.js'
import { unknownLetter } from './lettering.js'

export const dotPatterns = [
  'standard',
  'circle',
  'block',
  'blob',
  'rounded',
  'vertical',
  'horizontal',
  'triangle',
  'heart',
  'star',
  'diamond',
] as const
export type DotPattern = (typeof dotPatterns)[number]

export const cornerShapes = [
  'standard',
  'slightly_round',
  'rounded',
  'extra_round',
  'leaf',
  'leaf_inner',
  'leaf_outer',
  'target',
  'concave',
] as const
export type CornerShape = (typeof cornerShapes)[number]

export const gradientStyles = ['no_gradient', 'linear', 'radial'] as const

export const frameIds = [
  'none',
  'border_only',
  'text_bottom',
  'tooltip_bottom',
  'arrow',
  'text_top',
  'text_bottom_in_frame',
  'script',
  'text_top_and_bottom',
  'url',
  'instagram',
] as const
export type FrameId = (typeof frameIds)[number]

/** The finder patterns, named as on the wire: top left, top right and bottom left. */
export const cornerNames = ['corner_1', 'corner_2', 'corner_3'] as const
type CornerName = (typeof cornerNames)[number]

const textPlaces = ['center', 'top', 'bottom'] as const
type TextPlace = (typeof textPlaces)[number]

/** A colour that is left out is that of the dots. */
interface Corner {
  readonly innerColor?: string
  readonly outerColor?: string
  readonly shape: CornerShape
}

interface ColorStop {
  readonly color: string
  /** 0 to 100 */
  readonly offset: number
}

export interface Gradient {
  readonly style: (typeof gradientStyles)[number]
  /** Degrees, clockwise from left to right; of linear gradients. */
  readonly angle: number
  /** By offset. */
  readonly colors: readonly ColorStop[]
  readonly excludeCorners: boolean
}

/** A text or colour that is left out is chosen by the frame. */
export interface Frame {
  readonly id: FrameId
  readonly colors: { readonly primary?: string; readonly secondary?: string; readonly background?: string }
  readonly text: { readonly primary?: string; readonly secondary?: string }
}

export interface Caption {
  readonly content: string
  readonly color: string
}

export interface QrDesign {
  readonly backgroundColor: string
  readonly dotPatternColor: string
  readonly dotPatternType: DotPattern
  readonly corners: Readonly<Record<CornerName, Corner>>
  readonly gradient: Gradient
  readonly backgroundGradient: Gradient
  readonly logo?: { readonly imageGuid: string }
  readonly frame: Frame
  readonly text: { readonly [place in TextPlace]?: Caption }
  readonly branding: { readonly shortlinkBrand: boolean }
  /** 1 to 4: L, M, Q and H of the standard. Shapes that are no squares raise it to 3, what covers the centre to 4. */
  readonly specSettings: { readonly errorCorrection: number }
}

/** Characters; longer texts would be too small to read. */
export const longestText = { center: 16, top: 40, bottom: 40, frame: 40 } as const
/** Colours of a gradient; more of them cannot be told apart. */
export const mostStops = 8

const noGradient: Gradient = { style: 'no_gradient', angle: 0, colors: [], excludeCorners: false }

export const plainDesign: QrDesign = {
  backgroundColor: '#ffffff',
  dotPatternColor: '#000000',
  dotPatternType: 'standard',
  corners: { corner_1: { shape: 'standard' }, corner_2: { shape: 'standard' }, corner_3: { shape: 'standard' } },
  gradient: noGradient,
  backgroundGradient: noGradient,
  frame: { id: 'none', colors: {}, text: {} },
  text: {},
  branding: { shortlinkBrand: false },
  specSettings: { errorCorrection: 2 },
}

type Given<T> = T | undefined
interface CornerInput {
  readonly innerColor?: Given<string>
  readonly outerColor?: Given<string>
  readonly shape?: Given<string>
}
interface GradientInput {
  readonly style?: Given<string>
  readonly angle?: Given<number>
  readonly colors?: Given<readonly { readonly color: string; readonly offset?: Given<number> }[]>
  readonly excludeCorners?: Given<boolean>
}
interface FrameInput {
  readonly id: string
  readonly colors?: Given<{
    readonly primary?: Given<string>
    readonly secondary?: Given<string>
    readonly background?: Given<string>
  }>
  readonly text?: Given<{ readonly primary?: Given<string>; readonly secondary?: Given<string> }>
}
interface CaptionInput {
  readonly content: string
  readonly color?: Given<string>
}

/** What a caller sends; everything has a default. */
export interface DesignInput {
  readonly backgroundColor?: Given<string>
  readonly dotPatternColor?: Given<string>
  readonly dotPatternType?: Given<string>
  readonly corners?: Given<{ readonly [name in CornerName]?: Given<CornerInput> }>
  readonly gradient?: Given<GradientInput>
  readonly backgroundGradient?: Given<GradientInput>
  readonly logo?: Given<{ readonly imageGuid: string }>
  readonly frame?: Given<FrameInput>
  readonly text?: Given<{ readonly [place in TextPlace]?: Given<CaptionInput> }>
  readonly branding?: Given<{ readonly shortlinkBrand?: Given<boolean> }>
  readonly specSettings?: Given<{ readonly errorCorrection?: Given<number> }>
}

const root = 'renderCustomizations'

/** Checks every value and fills in the defaults; a refusal names the path of the value. */
export function readDesign(input: DesignInput): QrDesign {
  const { logo, text = {} } = input
  const corner = (name: CornerName) => readCorner(input.corners?.[name] ?? {}, `${root}.corners.${name}`)
  const captions = textPlaces.flatMap((place) => {
    const caption = text[place]
    return caption ? [[place, readCaption(caption, place)] as const] : []
  })
  return {
    backgroundColor: readColor(input.backgroundColor ?? plainDesign.backgroundColor, `${root}.backgroundColor`),
    dotPatternColor: readColor(input.dotPatternColor ?? plainDesign.dotPatternColor, `${root}.dotPatternColor`),
    dotPatternType: oneOf(dotPatterns, input.dotPatternType, `${root}.dotPatternType`),
    corners: { corner_1: corner('corner_1'), corner_2: corner('corner_2'), corner_3: corner('corner_3') },
    gradient: readGradient(input.gradient ?? {}, `${root}.gradient`),
    backgroundGradient: readGradient(input.backgroundGradient ?? {}, `${root}.backgroundGradient`),
    ...(logo && { logo: { imageGuid: logo.imageGuid } }),
    frame: readFrame(input.frame ?? plainDesign.frame),
    text: Object.fromEntries(captions),
    branding: { shortlinkBrand: input.branding?.shortlinkBrand ?? false },
    specSettings: { errorCorrection: readCorrection(input.specSettings?.errorCorrection) },
  }
}

function readCorner({ innerColor, outerColor, shape }: CornerInput, path: string): Corner {
  return {
    ...(innerColor !== undefined && { innerColor: readColor(innerColor, `${path}.innerColor`) }),
    ...(outerColor !== undefined && { outerColor: readColor(outerColor, `${path}.outerColor`) }),
    shape: oneOf(cornerShapes, shape, `${path}.shape`),
  }
}

function readGradient(input: GradientInput, path: string): Gradient {
  const { angle = 0, colors = [], excludeCorners = false } = input
  const style = oneOf(gradientStyles, input.style, `${path}.style`)
  if (colors.length > mostStops) throw invalid(`${path}.colors`, `A gradient has at most ${mostStops} colours.`)
  if (style !== 'no_gradient' && colors.length < 2)
    throw invalid(`${path}.colors`, 'A gradient needs at least 2 colours.')
  if (!Number.isFinite(angle)) throw invalid(`${path}.angle`, 'The angle must be a number of degrees.')
  const stops = colors.map(({ color, offset = 0 }, index) => {
    if (!(offset >= 0 && offset <= 100))
      throw invalid(`${path}.colors.${index}.offset`, 'An offset is a number from 0 to 100.')
    return { color: readColor(color, `${path}.colors.${index}.color`), offset }
  })
  return { style, angle, colors: stops.sort((a, b) => a.offset - b.offset), excludeCorners }
}

function readFrame({ id, colors = {}, text = {} }: FrameInput): Frame {
  const path = `${root}.frame`
  const color = (name: 'primary' | 'secondary' | 'background') =>
    colors[name] !== undefined && { [name]: readColor(colors[name], `${path}.colors.${name}`) }
  const line = (name: 'primary' | 'secondary') =>
    text[name] !== undefined && { [name]: readText(text[name], longestText.frame, `${path}.text.${name}`) }
  return {
    id: oneOf(frameIds, id, `${path}.id`),
    colors: { ...color('primary'), ...color('secondary'), ...color('background') },
    text: { ...line('primary'), ...line('secondary') },
  }
}

function readCaption({ content, color = '#ffffff' }: CaptionInput, place: TextPlace): Caption {
  const path = `${root}.text.${place}`
  return {
    content: readText(content, longestText[place], `${path}.content`),
    color: readColor(color, `${path}.color`),
  }
}

function readText(text: string, longest: number, path: string): string {
  const line = text.normalize('NFC').trim()
  if (line === '') throw invalid(path, 'The text is empty.')
  if ([...line].length > longest) throw invalid(path, `The text is longer than ${longest} characters.`)
  const unknown = unknownLetter(line)
  if (unknown !== undefined)
    throw invalid(path, `${quoted(unknown)} cannot be drawn: only Latin, Greek and Cyrillic letters can.`)
  return line
}

function readCorrection(level: number = plainDesign.specSettings.errorCorrection): number {
  if (Number.isInteger(level) && level >= 1 && level <= 4) return level
  throw invalid(`${root}.specSettings.errorCorrection`, 'The error correction is 1, 2, 3 or 4.')
}

/** The first value is the default. */
function oneOf<T extends string>(allowed: readonly [T, ...T[]], value: string | undefined, path: string): T {
  const found = value === undefined ? allowed[0] : allowed.find((each) => each === value)
  if (found === undefined) throw invalid(path, `${quoted(value ?? '')} is not one of ${allowed.join(', ')}.`)
  return found
}
