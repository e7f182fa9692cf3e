/** What happens to a code between the screen or the paper and a scanner. */
import type { CornerShape, QrDesign } from '../../src/core/qr-design/design.js'
import type { Drawing } from '../../src/core/qr-design/drawing.js'
import { toSvg } from '../../src/core/qr-design/svg.js'
import { indexedPng, renderPixels, renderPng } from '../../src/storage/qr-images/png.js'
import type { Dice } from './random-design.js'

export interface Picture {
  readonly name: string
  readonly png: Uint8Array
  readonly forZxingOnly?: boolean
}

/** What can be seen through is judged on white paper. */
export function onPaper(drawing: Drawing): Drawing {
  const paper = { path: `M0 0h${drawing.width}v${drawing.height}h-${drawing.width}z`, fill: '#ffffff' }
  return { ...drawing, ground: '#ffffff', shapes: [paper, ...drawing.shapes] }
}

/**
 * Corners that zbar reads at every angle. It draws straight lines through the outermost points of each corner, so it misses
 * round and cut ones that are turned by 20 degrees and more from the nearest side; ZXing reads them too.
 */
const readAtEveryAngle: ReadonlySet<CornerShape> = new Set(['standard', 'slightly_round'])

/** Levels of grey: a standard deviation of 2.5, as phones have in daylight. */
const mostNoise = 6

/**
 * ZXing tells dark from light in blocks of eight pixels, and misses noisy codes of any design whose modules are as large as
 * one. A camera moves, and soon sees them a little larger.
 */
const blockSizes = { from: 8, to: 9.2 }

/** As a camera might see it: turned, blurred or with noise. */
export function distorted(drawing: Drawing, { corners }: QrDesign, size: number, dice: Dice): Picture {
  const svg = toSvg(drawing, size)
  const kind = dice.upTo(3)
  // Held in one of four ways, and not quite straight.
  if (kind === 0) return turned(svg, size, 90 * dice.upTo(3) + dice.upTo(24) - 12)
  if (kind === 1) {
    const forZxingOnly = !Object.values(corners).every(({ shape }) => readAtEveryAngle.has(shape))
    return { ...turned(svg, size, dice.upTo(359)), forZxingOnly }
  }
  if (kind === 2) return blurred(svg, size, 0.2 * (size / Math.max(drawing.width, drawing.height)))
  const modules = Math.max(drawing.width, drawing.height)
  const isBlock = size >= blockSizes.from * modules && size < blockSizes.to * modules
  return noisy(isBlock ? toSvg(drawing, Math.ceil(blockSizes.to * modules)) : svg, mostNoise, dice)
}

function turned(svg: string, size: number, degrees: number): Picture {
  const side = Math.ceil(size * 1.4)
  const turn = `<g transform="rotate(${degrees} ${side / 2} ${side / 2})">${inMiddle(svg, size, side)}</g>`
  return { name: `turned by ${degrees} degrees`, png: renderPng(onWhite(side, turn)) }
}

/** By a distance in pixels. */
function blurred(svg: string, size: number, distance: number): Picture {
  const side = Math.ceil(size * 1.1)
  const filter = `<filter id="blur"><feGaussianBlur stdDeviation="${distance}"/></filter>`
  const blur = `${filter}<g filter="url(#blur)">${inMiddle(svg, size, side)}</g>`
  return { name: `blurred by ${distance.toFixed(1)} pixels`, png: renderPng(onWhite(side, blur)) }
}

/** Each grey is up to `most` brighter or darker. */
function noisy(svg: string, most: number, dice: Dice): Picture {
  const { pixels, width, height } = renderPixels(svg)
  for (let at = 0; at < pixels.length; at += 4) {
    const paper = 255 - (pixels[at + 3] ?? 0)
    const grey = paper + 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0)
    const seen = Math.max(0, Math.min(255, grey + (dice.roll() + dice.roll() - 1) * most))
    pixels.fill(seen, at, at + 3)
    pixels[at + 3] = 255
  }
  const png = indexedPng(pixels, width, height)
  if (!png) throw new Error('there are more than 256 greys')
  return { name: `noise of ${most}`, png }
}

function inMiddle(svg: string, size: number, side: number): string {
  return `<g transform="translate(${(side - size) / 2} ${(side - size) / 2})">${svg}</g>`
}

function onWhite(side: number, body: string): string {
  const paper = `<rect width="${side}" height="${side}" fill="#fff"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${paper}${body}</svg>`
}
