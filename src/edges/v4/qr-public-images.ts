/**
 * Pictures of QR codes that need no token (docs/api/qr-codes.md#embed): `/assets/qr/<image id>.svg` and `.png`. Pages of
 * others load them, so one that is in memory is answered before Fastify. `assets` is reserved: no link is hidden by it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  mostPublicPixels,
  type PublicImage,
  type PublicImageRequest,
  type PublicQrImages,
  publicSize,
} from '../../core/qr-codes/public-images.js'
import { notFound } from '../../core/qr-codes/read.js'
import { invalid, Refusal } from '../../core/values/refusal.js'
import { isKnown } from '../http/etag.js'
import { originForm, type RequestHandlers } from '../http/raw-requests.js'
import { answerV4 } from './errors.js'

export interface PublicImageDeps {
  readonly publicQrImages: Pick<PublicQrImages, 'peek' | 'load'>
  readonly log: { error(fields: object, message: string): void }
}

const folder = '/assets/qr/'

/** Of the SVG; other formats differ in the ending. */
export function publicImageUrl(baseUrl: string, imageId: string): string {
  return `${baseUrl}${folder}${imageId}.svg`
}

export function publicImages(deps: PublicImageDeps): RequestHandlers['images'] {
  const { publicQrImages, log } = deps

  async function loadAndAnswer(asked: PublicImageRequest, request: IncomingMessage, response: ServerResponse) {
    try {
      const image = await publicQrImages.load(asked)
      if (image) sendImage(request, response, asked.format, image)
      else refuse(response, notFound())
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error, route: folder }, 'request failed')
      refuse(response, error)
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      send(response, 405, ['Allow', 'GET, HEAD', 'Content-Type', 'text/plain; charset=utf-8'], 'Method not allowed\n')
      return
    }
    try {
      const asked = readUrl(originForm(request.url ?? '/'))
      const image = publicQrImages.peek(asked)
      if (image) sendImage(request, response, asked.format, image)
      else void loadAndAnswer(asked, request, response)
    } catch (error) {
      refuse(response, error)
    }
  }

  return { prefix: folder, answer }
}

const path = /^([0-9A-Za-z]+)\.(svg|png)$/

function readUrl(url: string): PublicImageRequest {
  const queryAt = url.indexOf('?')
  const [, imageId, format] =
    path.exec(queryAt === -1 ? url.slice(folder.length) : url.slice(folder.length, queryAt)) ?? []
  if (imageId === undefined) throw notFound()
  const size = queryAt === -1 ? null : new URLSearchParams(url.slice(queryAt)).get('size')
  return {
    imageId,
    format: format === 'png' ? 'png' : 'svg',
    size: publicSize(size === null ? presetSize : pixels(size)),
  }
}

const presetSize = 512

function pixels(text: string): number {
  const size = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (size >= 1 && size <= mostPublicPixels) return size
  throw invalid('size', `Send a size of 1 to ${mostPublicPixels} pixels. Larger pictures need a token.`, 'qr_codes')
}

const types = { svg: 'image/svg+xml', png: 'image/png' }

function sendImage(
  request: IncomingMessage,
  response: ServerResponse,
  format: PublicImageRequest['format'],
  { bytes, hash }: PublicImage,
): void {
  const etag = `"${hash}"`
  const headers = ['ETag', etag, ...sharedHeaders]
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end()
    return
  }
  headers.push('Content-Type', types[format], 'Content-Length', String(bytes.length))
  response.writeHead(200, headers)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

const sharedHeaders = [
  // Short, as designs are changed.
  'Cache-Control',
  'public, max-age=60',
  // For canvases and print templates of other sites.
  'Access-Control-Allow-Origin',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  // An SVG that is opened by itself shows its logo and does nothing else.
  'Content-Security-Policy',
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
  'X-Content-Type-Options',
  'nosniff',
]

function refuse(response: ServerResponse, error: unknown): void {
  const { status, headers = {}, body } = answerV4(error, folder)
  const own = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'no-store']
  send(response, status, [...own, ...Object.entries(headers).flat()], JSON.stringify({ ...body, resource: 'qr_codes' }))
}

function send(response: ServerResponse, status: number, headers: readonly string[], body: string): void {
  const length = ['Content-Length', String(Buffer.byteLength(body)), 'X-Content-Type-Options', 'nosniff']
  response.writeHead(status, [...headers, ...length])
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
