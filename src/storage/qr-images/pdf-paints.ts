/** Colours and gradients of a drawing in a PDF: what they are called there, and the objects that describe them. */
import { type Rgba, rgba } from '../../core/qr-design/color.js'
import type { Drawing, Paint } from '../../core/qr-design/drawing.js'
import { tidy } from '../../core/qr-design/paths.js'
import type { PdfFile, Reference } from './pdf-file.js'

type Gradient = Exclude<Paint, string>
interface Named {
  readonly name: string
  readonly object: Reference
}

export class PdfPaints {
  readonly #file: PdfFile
  /** From the units of the drawing to those of the page. */
  readonly #matrix: string
  readonly #drawing: Pick<Drawing, 'width' | 'height'>
  readonly #shadings = new Map<Gradient, Named>()
  readonly #patterns = new Map<Gradient, Named>()
  readonly #states = new Map<string, Named>()

  constructor(file: PdfFile, matrix: string, drawing: Pick<Drawing, 'width' | 'height'>) {
    this.#file = file
    this.#matrix = matrix
    this.#drawing = drawing
  }

  /** The operators that fill a path. */
  filled(path: string, paint: Paint, evenOdd = false): string {
    const rule = evenOdd ? '*' : ''
    if (typeof paint === 'string') return `${this.#opacity(paint)}${shares(rgba(paint))} rg\n${path}\nf${rule}`
    // Not as a pattern: Ghostscript fills it too pale where it can be seen through.
    return `${this.#mask(paint)}${path}\nW${rule} n /${this.#shadingOf(paint).name} sh`
  }

  /** The operators that choose the paint of lines. */
  forLines(paint: Paint): string {
    if (typeof paint === 'string') return `${this.#opacity(paint)}${shares(rgba(paint))} RG`
    const { name } = named(this.#patterns, paint, 'P', () => {
      const shading = this.#shadingOf(paint).object
      return this.#file.dictionary(`/PatternType 2/Matrix[${this.#matrix}]/Shading ${shading}`)
    })
    return `${this.#mask(paint)}/Pattern CS/${name} SCN`
  }

  /** What the page must name of them. */
  resources(): string {
    const list = (kind: string, entries: ReadonlyMap<unknown, Named>) =>
      `/${kind}<<${[...entries.values()].map(({ name, object }) => `/${name} ${object}`).join('')}>>`
    return list('Shading', this.#shadings) + list('Pattern', this.#patterns) + list('ExtGState', this.#states)
  }

  #shadingOf(paint: Gradient): Named {
    return named(this.#shadings, paint, 'G', () => this.#shading(paint, 'DeviceRGB', shares))
  }

  #opacity(color: string): string {
    const alpha = String(tidy(rgba(color)[3]))
    return alpha === '1' ? '' : this.#state(alpha, () => `/ca ${alpha}/CA ${alpha}`)
  }

  /** A gradient that can be seen through: the same one in greys says how much of it is seen. */
  #mask(paint: Gradient): string {
    if (paint.stops.every(({ color }) => rgba(color)[3] === 1)) return ''
    return this.#state(JSON.stringify(paint), () => {
      const shading = this.#shading(paint, 'DeviceGray', (color) => String(tidy(color[3])))
      const { width, height } = this.#drawing
      const box = `/BBox[${numbers(0, 0, width, height)}]/Resources<</Shading<</G ${shading}>>>>`
      const entries = `/Type/XObject/Subtype/Form${box}/Group<</S/Transparency/CS/DeviceGray>>`
      const group = this.#file.stream(entries, Buffer.from('/G sh'))
      return `/SMask<</S/Luminosity/G ${group}>>`
    })
  }

  #state(key: string, entries: () => string): string {
    return `/${named(this.#states, key, 'S', () => this.#file.dictionary(entries())).name} gs `
  }

  #shading(paint: Gradient, space: string, value: (color: Rgba) => string): Reference {
    const place =
      'radius' in paint
        ? `/ShadingType 3/Coords[${numbers(...paint.center, 0, ...paint.center, paint.radius)}]`
        : `/ShadingType 2/Coords[${numbers(...paint.from, ...paint.to)}]`
    const colors = this.#colors(paint, value)
    return this.#file.dictionary(`${place}/ColorSpace/${space}/Function ${colors}/Extend[true true]`)
  }

  /** One function from each stop to the next, and these one after another. */
  #colors({ stops }: Gradient, value: (color: Rgba) => string): Reference {
    const all = [
      { offset: 0, color: stops[0]?.color ?? '#000000' },
      ...stops,
      { offset: 1, color: stops.at(-1)?.color ?? '#000000' },
    ]
    const steps = all.slice(1).flatMap((to, index) => {
      const from = all[index]
      return from && from.offset < to.offset ? [{ from, to }] : []
    })
    const functions = steps.map(({ from, to }) => {
      const first = value(rgba(from.color))
      const last = value(rgba(to.color))
      return `<</FunctionType 2/Domain[0 1]/C0[${first}]/C1[${last}]/N 1>>`
    })
    const bounds = numbers(...steps.slice(1).map(({ from }) => from.offset))
    const encode = steps.map(() => '0 1').join(' ')
    return this.#file.dictionary(
      `/FunctionType 3/Domain[0 1]/Functions[${functions.join('')}]/Bounds[${bounds}]/Encode[${encode}]`,
    )
  }
}

/** What a map has under a key, made when it is first asked for. */
function named<Key>(map: Map<Key, Named>, key: Key, letter: string, make: () => Reference): Named {
  const known = map.get(key) ?? { name: `${letter}${map.size}`, object: make() }
  map.set(key, known)
  return known
}

function shares([red, green, blue]: Rgba): string {
  return numbers(red / 255, green / 255, blue / 255)
}

function numbers(...values: readonly number[]): string {
  return values.map(tidy).join(' ')
}
