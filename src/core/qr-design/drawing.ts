/**
 * What a QR code looks like, as filled shapes: SVG, PNG and PDF are all written from this. One unit is one module of the
 * code. Texts are outlines, so no writer needs a font.
 */
export interface Drawing {
  readonly width: number
  readonly height: number
  /** Modules of the code along one side, without the quiet zone. */
  readonly modules: number
  readonly shapes: readonly Shape[]
}

export type Shape = FilledPath | Picture

/** Path data of SVG, without arcs. */
interface FilledPath {
  readonly path: string
  readonly fill: Paint
  /** Inner outlines are holes. */
  readonly evenOdd?: boolean
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
