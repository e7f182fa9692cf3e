/** QR codes one by one (docs/api/qr-codes.md): records, coupling and deletion. Images are in qr-images.ts. */

import { type Static, Type } from 'typebox'
import { requireWriter } from '../../core/accounts/actor.js'
import type { ContentDeps } from '../../core/qr-codes/content.js'
import { type CoupleDeps, coupleQrCode } from '../../core/qr-codes/couple.js'
import { type CreateQrCodeDeps, createQrCode } from '../../core/qr-codes/create.js'
import type { QrCode as CoreQrCode } from '../../core/qr-codes/qr-code.js'
import { existingQrCode, type ReadQrCodeDeps, readQrCode, writableQrCode } from '../../core/qr-codes/read.js'
import { type RemoveQrCodeDeps, removeQrCode } from '../../core/qr-codes/remove.js'
import { redirectQrCode, type UpdateQrCodeDeps, updateQrCode } from '../../core/qr-codes/update.js'
import { sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { writerOfNamedGroup } from './access.js'
import { dnsHeaders } from './errors.js'
import { type PresentDeps, presentLink } from './present.js'
import { presentQrCode, presentQrCodeDetails, qrCodeEtag } from './present-qr-code.js'
import { type RouteRequest, route } from './route.js'
import {
  addressBounds,
  guidBounds,
  longUrlBounds,
  routingListBounds,
  tagBounds,
  tagListBounds,
  tagListDescription,
  timestampOrNoneBounds,
  titleBounds,
} from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named, optionalText, shownAddress, tagged } from './schemas/fields.js'
import { Gs1, QrCode, QrCodeDetails } from './schemas/qr-code.js'
import { designFrom, RenderCustomizations } from './schemas/qr-design.js'
import { RoutingRuleBody, ShortLink } from './schemas/short-link.js'
import { readRule } from './shortlinks.js'

export type QrCodeRouteDeps = CreateQrCodeDeps &
  UpdateQrCodeDeps &
  CoupleDeps &
  RemoveQrCodeDeps &
  ReadQrCodeDeps &
  ContentDeps &
  PresentDeps

const details = {
  title: Type.Optional(Type.String({ ...emptyRemoves, ...titleBounds, description: 'At most 2048 characters' })),
  render_customizations: Type.Optional(RenderCustomizations),
  archived: Type.Optional(Type.Boolean({ description: 'Archived codes are not in lists; they can still be scanned' })),
  tags: Type.Optional(
    Type.Array(Type.String(tagBounds), {
      ...tagListBounds,
      description: tagListDescription,
    }),
  ),
  expiration_at: optionalText(
    'Of stand-alone codes: `YYYY-MM-DDThh:mm:ss±hhmm`, five minutes to one year in the future. Others expire with ' +
      'their short link.',
    { ...emptyRemoves, ...timestampOrNoneBounds },
  ),
  dynamic_routing: Type.Optional(
    Type.Array(RoutingRuleBody, { ...routingListBounds, description: 'Of stand-alone codes' }),
  ),
}

const CreateBody = Type.Object(
  {
    group_guid: Type.String({ description: 'The group that owns the code' }),
    destination: Type.Object(
      {
        shortlink_id: optionalText('A short link of the group, by any of its addresses', addressBounds),
        long_url: optionalText('Makes a stand-alone code, with an address of its own', longUrlBounds),
        site_id: Type.Optional(Type.String({ ...guidBounds, description: 'A site of the group' })),
      },
      { description: 'Exactly one of these' },
    ),
    gs1: Type.Optional(Gs1),
    domain: optionalText('Of stand-alone codes: a short domain; by default the preferred domain of the group'),
    ...details,
  },
  {
    examples: [
      {
        group_guid: 'Bd3Kx8Qm2Lp',
        destination: { shortlink_id: 'go.example.com/3xYz12A' },
        title: 'Poster in the shop',
        render_customizations: {
          dot_pattern_type: 'rounded',
          dot_pattern_color: '#14532d',
          background_color: '#ffffff',
        },
      },
    ],
  },
)

const UpdateBody = Type.Object(details, {
  examples: [{ title: 'Poster at the fair', render_customizations: { dot_pattern_color: '#7f1d1d' } }],
})

const RedirectBody = Type.Object({ long_url: Type.String({ ...longUrlBounds, description: 'The new destination' }) })

const Deleted = Type.Object(
  {
    qrcodes_deleted: Type.Array(Type.Object({ id: Type.String() })),
    links_deleted: Type.Array(Type.Object({ id: shownAddress({ description: '`<domain>/<hash>`' }) })),
  },
  { description: 'What was deleted' },
)

export function qrCodeRoutes(http: TypedFastify, deps: QrCodeRouteDeps): void {
  for (const shared of [QrCode, QrCodeDetails]) http.addSchema(shared)
  const etag = (code: CoreQrCode) => qrCodeEtag(code, deps)
  const send = sendTagged((code: CoreQrCode) => presentQrCode(code, deps), etag)
  const writable = ({ actor, params }: RouteRequest<{ readonly qrcode_id: string }>) =>
    writableQrCode(deps, actor, params.qrcode_id)

  route(http, 'QR codes', 'createQrCode: POST /v4/qr-codes', {
    scope: 'qr',
    access: writerOfNamedGroup,
    summary: 'Create a QR code',
    description:
      'For a short link of the group, or for a long URL: then the code gets an address of its own, which works at once ' +
      'and is in no list of short links until it is coupled (`to-shortlink`).',
    body: CreateBody,
    response: { 201: tagged(QrCode, 'The new QR code'), ...refusals(402, 404, 410, 417) },
    idempotent: true,
    answer: async ({ actor, body }, _granted, reply) => {
      const group = requireWriter(actor, body.group_guid)
      const { shortlink_id: shortlinkId, long_url: longUrl, site_id: siteId } = body.destination
      const destination = { shortlinkId, longUrl, siteId }
      const input = { destination, domain: body.domain, gs1: body.gs1?.values, ...readDetails(body) }
      const { code, dnsWarning } = await createQrCode(deps, actor, group, input)
      if (dnsWarning !== undefined) reply.headers(dnsHeaders(dnsWarning))
      return send(reply, code)
    },
  })

  route(http, 'QR codes', 'getQrCode: GET /v4/qr-codes/:qrcode_id', {
    scope: ['links:read', 'qr'],
    access: ({ actor, params }) => readQrCode(deps, actor, params.qrcode_id),
    summary: 'Get a QR code',
    description: 'With its whole design.',
    response: { 200: tagged(QrCodeDetails, 'The QR code'), ...refusals(404, 410) },
    etag,
    answer: async (_request, code) => presentQrCodeDetails(code, deps),
  })

  route(http, 'QR codes', 'updateQrCode: PATCH /v4/qr-codes/:qrcode_id', {
    scope: 'qr',
    access: writable,
    summary: 'Update a QR code',
    description:
      'What is not sent stays as it is. Lists and `render_customizations` replace the former ones; an empty `title` or ' +
      '`expiration_at` removes it.',
    body: UpdateBody,
    response: { 200: tagged(QrCode, 'The QR code'), ...refusals(402, 404, 410) },
    etag,
    answer: async ({ actor, body }, code, reply) =>
      send(reply, await updateQrCode(deps, actor, code, readDetails(body))),
  })

  route(http, 'QR codes', 'redirectQrCode: PATCH /v4/qr-codes/:qrcode_id/redirect', {
    scope: 'qr',
    access: writable,
    summary: 'Change where a stand-alone QR code leads',
    description:
      'Takes effect at once, also for codes that are printed. Costs one encode. The destination of a coupled code is ' +
      'changed at its short link.',
    body: RedirectBody,
    response: { 200: tagged(QrCode, 'The QR code'), ...refusals(404, 410) },
    etag,
    answer: async ({ actor, body }, code, reply) => send(reply, await redirectQrCode(deps, actor, code, body.long_url)),
  })

  route(http, 'QR codes', 'coupleQrCode: PUT /v4/qr-codes/:qrcode_id/to-shortlink', {
    scope: 'qr',
    access: ({ actor, params }) => existingQrCode(deps, actor, params.qrcode_id),
    summary: 'Couple a stand-alone QR code with its link',
    description:
      'Its address becomes a short link of the group, which costs one encode. Returns the short link; of a code that is ' +
      'coupled already, without a cost. Also needs the scope `links:create`, or `links:read` for a coupled code.',
    response: { 200: named(ShortLink, 'The short link'), ...refusals(404) },
    etag,
    answer: async ({ actor }, code) => presentLink(await coupleQrCode(deps, actor, code), deps),
  })

  route(http, 'QR codes', 'deleteQrCode: DELETE /v4/qr-codes/:qrcode_id', {
    scope: 'qr',
    access: writable,
    summary: 'Delete a QR code and its link',
    description:
      'Only if the link was never redirected and never had a custom back-half. The link stays if other codes lead ' +
      'through it. For the code of a short link, the scope `links:write` is needed too.',
    response: { 200: Deleted, ...refusals(404, 410) },
    etag,
    answer: async ({ actor }, code) => {
      const linkIds = await removeQrCode(deps, actor, code)
      return {
        qrcodes_deleted: [{ id: code.id }],
        links_deleted: linkIds.map((id) => ({ id: deps.domains.shown(id) })),
      }
    },
  })
}

function readDetails(body: Static<typeof UpdateBody>) {
  const { title, archived, tags, render_customizations, expiration_at: expirationAt, dynamic_routing } = body
  return {
    title,
    archived,
    tags,
    expirationAt,
    design: render_customizations && designFrom(render_customizations),
    dynamicRouting: dynamic_routing?.map(readRule),
  }
}
