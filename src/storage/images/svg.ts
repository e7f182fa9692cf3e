/** SVG: written anew from its shapes, if they are not too much work, and drawn as pixels. Runs where re-encode.ts does. */
import { isUtf8 } from 'node:buffer'
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'
import { type EncodeOutcome, type ImageFault, maxPixels } from '../../core/images/image-encoder.js'

/** The fonts of the machine are left alone: texts are outlines. */
const options: ResvgRenderOptions = { font: { loadSystemFonts: false }, logLevel: 'off' }

/**
 * Writes an SVG as usvg understands it: shapes, gradients, masks and filters, with styles resolved. Scripts, handlers,
 * links, animations and comments are gone. What would be visible and cannot be kept is a fault.
 */
export function simplifySvg(bytes: Uint8Array): EncodeOutcome {
  if (!isUtf8(bytes)) return { fault: 'broken' }
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  if (/<!ENTITY/i.test(text)) return { fault: 'entities' }
  // usvg would read files that these name. Entities, which could hide them, were refused above.
  const [, element] = /<(?:[^\s<>/:!?]+:)?(text|foreignObject|image|feImage)(?=[\s/>])/.exec(text) ?? []
  if (element !== undefined) return { fault: `element ${element}` }
  try {
    const image = new Resvg(text, options)
    const width = Math.ceil(image.width)
    const height = Math.ceil(image.height)
    if (width * height > maxPixels) return { fault: 'too-many-pixels' }
    const simplified = image.toString()
    const fault = faultOf(simplified, 4 * Math.max(width, height))
    return fault ? { fault } : { bytes: Buffer.from(simplified), width, height }
  } catch {
    return { fault: 'broken' }
  }
}

/** As PNG, with a longer side of `side` pixels. */
export function drawSvg(bytes: Uint8Array, side: number): EncodeOutcome {
  try {
    const text = Buffer.from(bytes).toString('utf8')
    const { width, height } = new Resvg(text, options)
    const fitTo = { mode: width < height ? 'height' : 'width', value: side } as const
    const drawn = new Resvg(text, { ...options, fitTo }).render()
    return { bytes: drawn.asPng(), width: drawn.width, height: drawn.height }
  } catch {
    return { fault: 'broken' }
  }
}

/**
 * How much work the parts are, in plain shapes: a layer (of opacity, blending, a clip, a mask, a filter or a pattern) and a
 * step of a filter touch every pixel.
 */
const work = { shape: 1, layer: 30, filterStep: 100, charactersOfPath: 1000 }

/** Detailed illustrations have some thousand shapes. */
const mostWork = 20_000

/**
 * Whether it is made of known elements whose attributes cannot do anything, with nothing in between, and is not too much
 * work. What a pattern, mask, clip, filter or gradient needs counts wherever it is used.
 */
function faultOf(text: string, longestTile: number): ImageFault | undefined {
  const tag = /\s*<(\/?)(\w+)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>\s*/y
  const drawing: Part = { own: 0, uses: [] }
  const definitions = new Map<string, Part>()
  const open: { readonly element: string; readonly part: Part }[] = []
  for (tag.lastIndex = 0; tag.lastIndex < text.length; ) {
    const [, end, element = '', attributes = '', alone] = tag.exec(text) ?? []
    if (refusedFilters.test(element)) return `element ${element}`
    if (!harmlessElements.test(element)) return 'broken'
    if (end) {
      open.pop()
      continue
    }
    const parent = open.at(-1)
    const part: Part = parent?.element === 'defs' ? { own: 0, uses: [] } : (parent?.part ?? drawing)
    if (!alone) open.push({ element, part })
    part.own += layers.test(element) ? work.layer : filterSteps.test(element) ? work.filterStep : work.shape
    for (const [, name = '', value = ''] of attributes.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      if (!isHarmless(name, value)) return 'broken'
      if (element === 'pattern' && /^(?:width|height)$/.test(name) && Number(value) > longestTile) return 'too-complex'
      if (name === 'id' && parent?.element === 'defs') definitions.set(value, part)
      if (name === 'd') part.own += Math.floor(value.length / work.charactersOfPath)
      if (/^(?:opacity|style)$/.test(name)) part.own += work.layer
      const [, used] = /^(?:url\()?#([^)]+)\)?$/.exec(value) ?? []
      if (used !== undefined && /^(?:fill|stroke|clip-path|mask|filter|.*href)$/.test(name)) part.uses.push(used)
    }
  }
  return workOf(drawing, definitions, new Map()) > mostWork ? 'too-complex' : undefined
}

/** The drawing, or something that is defined to be used in it. */
interface Part {
  own: number
  readonly uses: string[]
}

function workOf(part: Part, definitions: ReadonlyMap<string, Part>, known: Map<Part, number>): number {
  const before = known.get(part)
  if (before !== undefined) return before
  // Whatever uses itself is endless.
  known.set(part, Number.POSITIVE_INFINITY)
  let sum = part.own
  for (const id of part.uses) {
    const used = definitions.get(id)
    if (used) sum += workOf(used, definitions, known)
  }
  known.set(part, sum)
  return sum
}

function isHarmless(name: string, value: string): boolean {
  if (/^on/i.test(name)) return false
  // The one style that usvg writes.
  if (/style$/i.test(name) && !/^mix-blend-mode:[a-z-]+;isolation:\w+$/.test(value)) return false
  if (/href$/i.test(name) && !value.startsWith('#')) return false
  return !/url\((?!#)/i.test(value)
}

const layers = /^(?:clipPath|mask|pattern|filter)$/
const filterSteps = /^fe(?!MergeNode|Func)/

/** Their work for each pixel has no bound. */
const refusedFilters = /^fe(?:Turbulence|ConvolveMatrix|DisplacementMap|DiffuseLighting|SpecularLighting)$/

const harmlessElements =
  /^(?:svg|defs|g|path|(?:linear|radial)Gradient|stop|clipPath|mask|pattern|filter|fe(?!Image$)[A-Z]\w+)$/
