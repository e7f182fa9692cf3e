/** Pictures of QR codes, as JSON or as they are (docs/api/qr-codes.md#images). */

import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { requireGroup } from '../../core/accounts/actor.js'
import { drawPreview, drawQrCode, drawStatic, imageSize, type QrImageDeps } from '../../core/qr-codes/image.js'
import { type ReadQrCodeDeps, readQrCode } from '../../core/qr-codes/read.js'
import { invalid } from '../../core/values/refusal.js'
import { addVary } from '../http/cors.js'
import { mediaTypes } from '../http/media-types.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { memberOfBody } from './access.js'
import { notAcceptable } from './errors.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { contentFrom, StaticContent } from './schemas/qr-content.js'
import { designFrom, RenderCustomizations } from './schemas/qr-design.js'
import { dataUri, type PictureFormat, pictureFormats, pictureTypes } from './schemas/qr-picture.js'

export type QrImageRouteDeps = QrImageDeps & ReadQrCodeDeps

const format = Type.Optional(
  Type.Enum([...pictureFormats], {
    type: 'string',
    default: 'svg',
    description: 'The format of the picture; a picture type in `Accept` overrides it',
  }),
)
const size = Type.Optional(
  Type.Integer({
    minimum: imageSize.least,
    maximum: imageSize.most,
    default: imageSize.preset,
    description: 'Pixels along the longer side; of a PDF 96 are an inch',
  }),
)
const ImageQuery = Type.Object({ format, size })

const StaticBody = Type.Object(
  {
    group_guid: Type.String({ description: 'The group that it is made for' }),
    content: StaticContent,
    render_customizations: Type.Optional(RenderCustomizations),
    format,
  },
  {
    examples: [
      {
        group_guid: 'Bd3Kx8Qm2Lp',
        content: 'https://www.example.com/menu',
        render_customizations: { dot_pattern_color: '#14532d' },
        format: 'svg',
      },
    ],
  },
)

const PreviewBody = Type.Object(
  {
    group_guid: Type.String({ description: 'The group that it is designed for' }),
    content: Type.String({ description: 'What scanners would read, such as the `serialized_content` of a code' }),
    render_customizations: RenderCustomizations,
    format,
  },
  {
    examples: [
      {
        group_guid: 'Bd3Kx8Qm2Lp',
        content: 'https://go.example.com/3xYz12A?r=qr',
        render_customizations: { dot_pattern_type: 'rounded', frame: { id: 'text_bottom' } },
      },
    ],
  },
)

export function qrImageRoutes(http: TypedFastify, deps: QrImageRouteDeps): void {
  route(http, 'QR codes', 'getQrCodeImage: GET /v4/qr-codes/:qrcode_id/image', {
    scope: ['links:read', 'qr'],
    access: ({ actor, params }) => readQrCode(deps, actor, params.qrcode_id),
    summary: 'Get the picture of a QR code',
    description: `As a data URI in JSON, or as it is: \`Accept: ${Object.values(pictureTypes).join('`, `')}\`.`,
    querystring: ImageQuery,
    response: { 200: picture('qr_code_image', 'A data URI'), ...refusals(404, 410) },
    answer: async ({ query, headers }, code, reply) => {
      // Whoever accepts nothing that there is gets JSON: the operation documents no 406.
      const wanted = wantedFrom(headers.accept, query.format) ?? { format: query.format ?? 'svg', raw: false }
      const { size = imageSize.preset } = query
      const bytes = Buffer.from(await drawQrCode(deps, code, { format: wanted.format, size }))
      addVary(reply, 'accept')
      if (wanted.raw) return reply.type(pictureTypes[wanted.format]).send(bytes) as never
      return { qr_code_image: dataUri(wanted.format, bytes) }
    },
  })

  route(http, 'QR codes', 'createStaticQrCode: POST /v4/qr-codes/static', {
    scope: ['links:read', 'qr'],
    access: memberOfBody,
    summary: 'Get the picture of a QR code with any content',
    description:
      'Nothing is kept, and scans are not counted. As base64 in JSON, or as it is: ' +
      `\`Accept: ${Object.values(pictureTypes).join('`, `')}\`. Gradients, frames, texts and logos are for codes that are kept.`,
    querystring: ImageQuery,
    body: StaticBody,
    response: { 200: picture('image', 'Base64') },
    answer: async ({ body, query, headers }, _group, reply) => {
      const wanted = wantedFrom(headers.accept, body.format ?? query.format)
      if (!wanted) throw notAcceptable()
      const design = body.render_customizations && plainPart(body.render_customizations)
      const { size = imageSize.preset } = query
      const bytes = await drawStatic(deps, contentFrom(body.content), design, { format: wanted.format, size })
      return answered(bytes, wanted, reply)
    },
  })

  route(http, 'QR codes', 'previewQrCode: POST /v4/qr-codes/preview', {
    scope: ['links:read', 'qr'],
    access: memberOfBody,
    summary: 'Get the picture of a design before it is saved',
    description:
      'Looks as a code with this design would, with its logo, and is refused as that would be. Nothing is kept or ' +
      `counted. As base64 in JSON, or as it is: \`Accept: ${Object.values(pictureTypes).join('`, `')}\`.`,
    querystring: ImageQuery,
    body: PreviewBody,
    response: { 200: picture('image', 'Base64') },
    answer: async ({ actor, body, query, headers }, _granted, reply) => {
      const wanted = wantedFrom(headers.accept, body.format ?? query.format)
      if (!wanted) throw notAcceptable()
      const { size = imageSize.preset } = query
      const design = designFrom(body.render_customizations)
      return answered(
        await drawPreview(deps, requireGroup(actor, body.group_guid), body.content, design, {
          format: wanted.format,
          size,
        }),
        wanted,
        reply,
      )
    },
  })
}

function answered(drawn: Uint8Array, { format, raw }: Wanted, reply: FastifyReply): { image: string } {
  const bytes = Buffer.from(drawn)
  addVary(reply, 'accept')
  if (raw) return reply.type(pictureTypes[format]).send(bytes) as never
  return { image: bytes.toString('base64') }
}

function picture<Field extends string>(field: Field, description: string) {
  const raw = Object.values(pictureTypes).map((type) => [type, { schema: Type.String({ format: 'binary' }) }])
  const json = Type.Object({ [field]: Type.String({ description }) } as Record<Field, ReturnType<typeof Type.String>>)
  return { description: 'The picture', content: { 'application/json': { schema: json }, ...Object.fromEntries(raw) } }
}

interface Wanted {
  readonly format: PictureFormat
  /** The picture itself, not JSON. */
  readonly raw: boolean
}

/** Undefined when nothing that there is would be accepted. */
function wantedFrom(accept: string | undefined, format: PictureFormat = 'svg'): Wanted | undefined {
  const weights = mediaTypes(accept ?? '*/*')
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  // The format first: it decides between types that are as welcome.
  const inOrder = [format, ...pictureFormats.filter((each) => each !== format)]
  // A PDF is no image for those who accept any image.
  const image = format === 'pdf' ? 'svg' : format
  const weight = (each: PictureFormat) =>
    weights.get(pictureTypes[each]) ?? (each === image ? weights.get('image/*') : 0) ?? 0
  const best = inOrder.reduce((one, other) => (weight(other) > weight(one) ? other : one))
  if (weight(best) > 0 && weight(best) >= json) return { format: best, raw: true }
  return json > 0 ? { format, raw: false } : undefined
}

/** Clients send the design of a kept code, which has all values: those by default are none. */
function plainPart(sent: Static<typeof RenderCustomizations>) {
  const { gradient, background_gradient, frame, text = {}, logo } = sent
  const notStatic = {
    gradient: gradient?.style !== undefined && gradient.style !== 'no_gradient',
    background_gradient: background_gradient?.style !== undefined && background_gradient.style !== 'no_gradient',
    frame: frame !== undefined && frame.id !== 'none',
    text: (text.center ?? text.top ?? text.bottom) !== undefined,
    logo: logo !== undefined,
  }
  const [odd] = Object.entries(notStatic).flatMap(([name, isUsed]) => (isUsed ? [name] : []))
  if (odd === undefined) return designFrom(sent)
  throw invalid(`render_customizations.${odd}`, `A static QR code has no ${odd}. Make a QR code that is kept instead.`)
}
