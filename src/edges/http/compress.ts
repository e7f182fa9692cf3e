/**
 * Compresses answers of JSON and CSV over 1 kB, in threads of Node. Pictures are compressed already, and streams of events
 * must not wait (docs/api/README.md#requests). A strong ETag stands for certain bytes, so single objects stay as they are.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { mediaTypes } from './media-types.js'
import type { TypedFastify } from './typed-fastify.js'

const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const leastBytes = 1024
/** Four takes a third of the time of nine, for a tenth more bytes. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** The one that the client prefers; brotli of two that it likes as much. */
export function encodingFor(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined
  const weights = mediaTypes(acceptEncoding)
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? 0
  const [best] = encodings.toSorted((one, other) => weightOf(other) - weightOf(one))
  return best !== undefined && weightOf(best) > 0 ? best : undefined
}

export function compressAnswers(http: TypedFastify): void {
  http.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || payload.length < leastBytes) return done()
    if (reply.hasHeader('content-encoding') || reply.hasHeader('etag')) return done()
    const type = String(reply.getHeader('content-type') ?? '')
    if (!type.startsWith('application/json') && !type.startsWith('text/csv')) return done()
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`)
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === undefined) return done()
    compressed(payload, encoding).then((bytes) => {
      reply.header('content-encoding', encoding).removeHeader('content-length')
      done(null, bytes)
    }, done)
  })
}

function compressed(payload: string | Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br' ? promisify(brotliCompress)(payload, quality) : promisify(gzip)(payload)
}
