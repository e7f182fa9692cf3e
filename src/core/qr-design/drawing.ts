/**
 * What a QR code looks like, as shapes: SVG, PNG and PDF are all written from this. One unit is one module of the code.
 * Texts are outlines, so no writer needs a font.
 */
export interface Drawing {
  readonly width: number
  readonly height: number
  readonly shapes: readonly Shape[]
  /** Where the first module is. */
  readonly origin: readonly [x: number, y: number]
  /** What a picture that is larger than the drawing is filled with. */
  readonly ground: Paint
}

export type Shape = FilledPath | StrokedPath | Picture

/** Path data of SVG, without arcs and short curves (`A`, `S`, `T`). */
interface FilledPath {
  readonly path: string
  readonly fill: Paint
  /** Inner outlines are holes. */
  readonly evenOdd?: boolean
}

/** With round ends and joins. */
interface StrokedPath {
  readonly path: string
  readonly stroke: Paint
  readonly width: number
}

/** Scaled to fit into its square, in the middle. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly mimeType: string
  readonly x: number
  readonly y: number
  readonly size: number
}

/** A colour, or a gradient in the units of the drawing. */
export type Paint = string | LinearPaint | RadialPaint

interface PaintStop {
  readonly color: string
  /** 0 to 1, rising */
  readonly offset: number
}

interface LinearPaint {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
  readonly stops: readonly PaintStop[]
}

interface RadialPaint {
  readonly center: readonly [x: number, y: number]
  readonly radius: number
  readonly stops: readonly PaintStop[]
}

/** A rectangle of the drawing. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
