/** The QR code of a short link, as older clients ask for it (docs/api/qr-codes.md#older-routes). */

import { type Static, Type } from 'typebox'
import { type FindDeps, type FoundLink, readLink, writableAddress } from '../../core/links/read.js'
import type { CreateQrCodeDeps } from '../../core/qr-codes/create.js'
import { imageSize, type QrImageDeps } from '../../core/qr-codes/image.js'
import {
  addLinkCode,
  changeLinkCode,
  drawLinkCode,
  type LinkCodeInput,
  newestCode,
} from '../../core/qr-codes/link-code.js'
import type { QrCode } from '../../core/qr-codes/qr-code.js'
import type { ReadQrCodeDeps } from '../../core/qr-codes/read.js'
import type { UpdateQrCodeDeps } from '../../core/qr-codes/update.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type PresentDeps, shortUrl } from './present.js'
import { type RouteRequest, route } from './route.js'
import { guidBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/fields.js'
import { dataUri, pictureFormats } from './schemas/qr-picture.js'

export type ShortlinkQrRouteDeps = CreateQrCodeDeps &
  UpdateQrCodeDeps &
  ReadQrCodeDeps &
  QrImageDeps &
  FindDeps &
  PresentDeps

const look = {
  color: Type.Optional(
    Type.String({ pattern: '^#?[0-9A-Fa-f]{6}$', description: 'Of the dots, in hexadecimal: `1133ff`' }),
  ),
  exclude_shortlink_logo: Type.Optional(Type.Boolean({ description: 'False adds the name of the service' })),
  image_format: Type.Optional(Type.Enum([...pictureFormats], { type: 'string', default: 'png' })),
}
const Query = Type.Object(look)
const Body = Type.Object({
  ...look,
  logo_image_guid: Type.Optional(Type.String({ ...guidBounds, description: 'An image of the organization' })),
  is_hidden: Type.Optional(Type.Boolean({ description: 'Archives the code' })),
})

const LinkQr = Type.Object(
  {
    qr_code: Type.String({ description: 'The picture, as a data URI' }),
    link: Type.String({ description: 'The short URL' }),
    id: Type.Optional(Type.String({ description: 'Id of the QR code; absent if none is stored' })),
    group_guid: Type.String(),
    has_stored: Type.Boolean({ description: 'False: the short link has no QR code, and this is a plain picture' }),
    is_customized: Type.Boolean(),
    is_hidden: Type.Boolean(),
    created: Type.Optional(moment()),
    modified: Type.Optional(moment()),
  },
  { title: 'LinkQrCode', description: 'The QR code' },
)

export function shortlinkQrRoutes(http: TypedFastify, deps: ShortlinkQrRouteDeps): void {
  const present = async (found: FoundLink, code: QrCode | undefined, sent: Static<typeof Query>) => {
    const { image_format: format = 'png' } = sent
    const picture = { format, size: imageSize.preset }
    const bytes = await drawLinkCode(deps, found, code, lookFrom(sent), picture)
    return {
      qr_code: dataUri(format, bytes),
      link: shortUrl(code?.address ?? found.address, deps),
      ...(code && { id: code.id }),
      group_guid: found.link.groupGuid,
      has_stored: code !== undefined,
      is_customized: code?.design !== undefined,
      is_hidden: code?.archived ?? false,
      ...(code && { created: timestamp(code.createdAt), modified: timestamp(code.modifiedAt) }),
    }
  }

  route(http, 'QR codes', 'getShortlinkQrCode: GET /v4/shortlinks/:domain/:hash/qr', {
    scope: ['links:read', 'qr'],
    access: ({ actor, params }) => readLink(deps, actor, params.domain, params.hash),
    summary: 'Get the QR code of a short link (older clients)',
    description: 'The newest of its codes, or a plain picture. Use `/v4/qr-codes` instead.',
    deprecated: true,
    querystring: Query,
    response: { 200: LinkQr, ...refusals(404, 410, 422) },
    answer: async ({ query }, found) => present(found, await newestCode(deps, found), query),
  })

  const write = {
    access: ({ actor, params }: RouteRequest<{ readonly domain: string; readonly hash: string }>) =>
      writableAddress(deps, actor, params.domain, params.hash),
    deprecated: true,
    body: Body,
  }
  route(http, 'QR codes', 'createShortlinkQrCode: POST /v4/shortlinks/:domain/:hash/qr', {
    scope: 'qr',
    ...write,
    summary: 'Create a QR code for a short link (older clients)',
    description: 'Use `POST /v4/qr-codes` instead.',
    response: { 201: LinkQr, ...refusals(402, 404, 410) },
    idempotent: true,
    answer: async ({ actor, body }, found) =>
      present(found, await addLinkCode(deps, actor, found, inputFrom(body)), formatOf(body)),
  })

  route(http, 'QR codes', 'updateShortlinkQrCode: PATCH /v4/shortlinks/:domain/:hash/qr', {
    scope: 'qr',
    ...write,
    summary: 'Update the QR code of a short link (older clients)',
    description: 'The newest of its codes. Use `PATCH /v4/qr-codes/{qrcode_id}` instead.',
    response: { 200: LinkQr, ...refusals(402, 404, 410) },
    answer: async ({ actor, body }, found) =>
      present(found, await changeLinkCode(deps, actor, found, inputFrom(body)), formatOf(body)),
  })
}

function lookFrom({ color, exclude_shortlink_logo: exclude }: Static<typeof Query>): LinkCodeInput {
  return {
    color: color === undefined ? undefined : `#${color.replace('#', '')}`,
    brand: exclude === undefined ? undefined : !exclude,
  }
}

function inputFrom(sent: Static<typeof Body>): LinkCodeInput {
  return { ...lookFrom(sent), logoImageGuid: sent.logo_image_guid, archived: sent.is_hidden }
}

/** The code has the rest by now. */
function formatOf({ image_format }: Static<typeof Body>): Static<typeof Query> {
  return image_format === undefined ? {} : { image_format }
}
