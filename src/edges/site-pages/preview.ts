/** The picture that messengers and other sites show with a link to a page: name, description and address on its colours. */
import { createHash } from 'node:crypto'
import type { Image } from '../../core/images/image.js'
import type { Logos } from '../../core/images/logos.js'
import { lettering, letteringSize, unknownLetter } from '../../core/qr-design/lettering.js'
import type { SiteDocument } from '../../core/sites/site.js'
import { Refusal } from '../../core/values/refusal.js'
import { SizedMap } from '../../lib/sized-map.js'
import { isKnown } from '../http/etag.js'
import type { SiteAnswer } from '../http/site-page.js'
import { type Colors, lookOf } from './look.js'

export interface PreviewDeps {
  readonly logos: Pick<Logos, 'of'>
  /** Draws an SVG in a thread of its own, and remembers what it drew. */
  readonly pictures: { png(svg: string): Promise<Uint8Array> }
}

export interface Previewed extends Pick<SiteDocument, 'displayName' | 'description' | 'appearance'> {
  readonly url: string
  readonly avatar: Image | undefined
}

/** Anybody may ask for pictures, and to prepare one takes the thread of redirects some 30 ms: so few at a time. */
const mostUnderway = 8

/** A picture that failed is not tried again for so long. */
const pause = 2000

export class PreviewPictures {
  readonly #deps: PreviewDeps
  readonly #drawn: SizedMap<string, SiteAnswer>
  /** Those that are drawn, for which all wait together, and those that failed just now. */
  readonly #underway = new Map<string, Promise<SiteAnswer>>()

  constructor(deps: PreviewDeps, mostBytes: number) {
    this.#deps = deps
    this.#drawn = new SizedMap(mostBytes)
  }

  /** `version`: changes with what is shown. The picture is drawn when it is first asked for. */
  of(shown: Previewed) {
    const { url, displayName, description, appearance, avatar } = shown
    const { colors } = lookOf(appearance, [])
    const all = JSON.stringify([drawingVersion, url, displayName, description, colors, avatar?.sha256])
    const version = createHash('sha256').update(all).digest('base64url').slice(0, 10)
    const etag = `"${version}"`
    const caching = ['ETag', etag, 'Cache-Control', 'public, max-age=86400', 'X-Content-Type-Options', 'nosniff']

    const draw = async (): Promise<SiteAnswer> => {
      const logo = avatar && (await this.#deps.logos.of(avatar, { format: 'png', size: 1024 }))
      const face = logo && `data:${logo.mimeType};base64,${Buffer.from(logo.bytes).toString('base64')}`
      const png = await this.#deps.pictures.png(drawn(shown, colors, face))
      // A copy: the bytes may be part of a larger buffer, all of which would be kept.
      const body = Buffer.from(png)
      const headers = [...caching, 'Content-Type', 'image/png', 'Content-Length', String(body.length)]
      return { status: 200, headers, body, counts: undefined }
    }
    const answer = (ifNoneMatch: string | undefined): SiteAnswer | Promise<SiteAnswer> =>
      isKnown(ifNoneMatch, etag)
        ? { status: 304, headers: caching, counts: undefined }
        : (this.#drawn.get(version) ?? this.#once(version, draw))
    return { version, answer }
  }

  #once(version: string, draw: () => Promise<SiteAnswer>): Promise<SiteAnswer> {
    const known = this.#underway.get(version)
    if (known) return known
    if (this.#underway.size >= mostUnderway) return Promise.reject(busy())
    const drawing = draw()
    this.#underway.set(version, drawing)
    drawing.then(
      (picture) => {
        this.#drawn.set(version, picture, (picture.body?.length ?? 0) + perAnswer)
        this.#underway.delete(version)
      },
      // Who asked hears of the failure.
      () => setTimeout(() => this.#underway.delete(version), pause).unref(),
    )
    return drawing
  }
}

function busy(): Refusal {
  const message = 'Too many pictures are being drawn at the moment. Try again in a few seconds.'
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 2 })
}

/** Bytes beside the body of an answer that is kept: its headers and objects. */
export const perAnswer = 1024

/** Part of the version: raised when the drawing changes. */
const drawingVersion = 1
const width = 1200
const height = 630
const middle = width / 2

function drawn({ url, displayName, description }: Previewed, colors: Colors, face: string | undefined): string {
  const address = drawable(url.replace(/^https?:\/\//, '').replace(/\/$/, ''))
  const name = drawable(displayName) || address
  const names = lines(name, { height: 50, maxWidth: 1040, most: 2 })
  const about = lines(drawable(description), { height: 23, maxWidth: 960, most: 2 })
  // From top to bottom, and the whole in the middle.
  const faceSize = 190
  const heights = [faceSize, 56, names.length * 84 - 34, ...(about.length > 0 ? [44, about.length * 44 - 21] : [])]
  let y = (height - 70 - heights.reduce((sum, each) => sum + each, 0)) / 2
  const centre = y + faceSize / 2
  const parts = [faceOf(name, { y: centre, size: faceSize }, colors, face)]
  y += faceSize + 56
  for (const line of names) {
    parts.push(text(line, { y: y + 25, height: 50 }, colors.text))
    y += 84
  }
  y += about.length > 0 ? 10 : 0
  for (const line of about) {
    parts.push(text(line, { y: y + 11, height: 23 }, colors.description))
    y += 44
  }
  if (name !== address) parts.push(text(address, { y: height - 52, height: 18 }, colors.description))
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="${colors.background}"/><stop offset="1" stop-color="${colors.bottom}"/></linearGradient><clipPath id="c"><circle cx="${middle}" cy="${centre}" r="${faceSize / 2}"/></clipPath></defs><rect width="${width}" height="${height}" fill="url(#g)"/>${parts.join('')}<rect y="${height - 12}" width="${width}" height="12" fill="${colors.button}"/></svg>`
}

interface Place {
  /** The middle. */
  readonly y: number
  readonly size: number
}

function faceOf(name: string, { y, size }: Place, colors: Colors, face: string | undefined): string {
  const place = `x="${middle - size / 2}" y="${y - size / 2}" width="${size}" height="${size}"`
  if (face !== undefined) {
    return `<image ${place} clip-path="url(#c)" preserveAspectRatio="xMidYMid slice" xlink:href="${face}"/>`
  }
  const circle = `<circle cx="${middle}" cy="${y}" r="${size / 2}" fill="${colors.button}"/>`
  return circle + text([...name][0]?.toUpperCase() ?? '', { y, height: size * 0.36 }, colors.buttonText)
}

function text(
  line: string,
  { y, height: tall }: { readonly y: number; readonly height: number },
  color: string,
): string {
  const { path } = lettering(line, { x: middle, y, height: tall, maxWidth: 1100 })
  return `<path fill="${color}" d="${path}"/>`
}

/** The letters of our fonts; emoji and other scripts are left out. */
function drawable(given: string): string {
  const known = [...given.normalize('NFC')].filter((letter) => /\s/.test(letter) || unknownLetter(letter) === undefined)
  return known.join('').replaceAll(/\s+/g, ' ').trim()
}

interface LineOptions {
  readonly height: number
  readonly maxWidth: number
  readonly most: number
}

/** Words in lines of this width; what does not fit is cut off. */
function lines(words: string, { height: tall, maxWidth, most }: LineOptions): readonly string[] {
  const fits = (line: string) =>
    letteringSize(line, { height: tall, maxWidth: Number.POSITIVE_INFINITY }).width <= maxWidth
  const found: string[] = []
  // More letters than fit into all lines need not be measured.
  for (const word of words.slice(0, 300).split(' ').filter(Boolean)) {
    const last = found.at(-1)
    if (last !== undefined && fits(`${last} ${word}`)) found[found.length - 1] = `${last} ${word}`
    else found.push(word)
  }
  const shown = found.slice(0, most)
  const end = shown.at(-1)
  if (found.length > most && end !== undefined) shown[most - 1] = `${end} …`
  return shown
}
