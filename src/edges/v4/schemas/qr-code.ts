import { type Static, Type } from 'typebox'
import { qrCodeTypes } from '../../../core/qr-codes/list.js'
import { maxGs1Values } from '../../../core/qr-contents/gs1.js'
import { apiName } from '../../http/link-names.js'
import { bounds } from '../../http/validation.js'
import { moment, named, shownAddress } from './fields.js'
import { RenderCustomizations } from './qr-design.js'
import { RoutingRule } from './short-link.js'

const own = {
  qrcode_id: Type.String(),
  group_guid: Type.String(),
  title: Type.Optional(Type.String()),
  serialized_content: Type.String({ description: 'What scanners read: the short URL and `?r=qr`' }),
  qr_code_type: Type.String({
    ...apiName,
    description: `One of ${qrCodeTypes.map((each) => `\`${each}\``).join(', ')}: coupled with a short link, or stand-alone; \`site\` for one of a site`,
  }),
  shortlink_id: shownAddress({ description: 'The address in the code' }),
  site_id: Type.Optional(Type.String({ description: 'The site that it leads to' })),
  image_url: Type.String({
    description:
      'The picture as SVG for web pages, mails and print; needs no token, and whoever knows it can fetch the picture. ' +
      'With `.png` at its end it is a PNG; `?size=` chooses 256, 512 (default), 1024 or 2048 pixels.',
  }),
  archived: Type.Boolean(),
  created: moment(),
  modified: moment(),
  updated: Type.String({ description: 'The same as `modified`' }),
  expiration_at: Type.Optional(moment()),
  long_urls: Type.Array(Type.String(), { description: 'Where it leads: the destination, and those of routing rules' }),
  tags: Type.Array(Type.String()),
  dynamic_routing: Type.Optional(Type.Array(named(RoutingRule, 'A routing rule'))),
}

/** `title`, `expiration_at` and `dynamic_routing` are absent when empty. */
export const QrCode = Type.Object(
  {
    ...own,
    created_by: Type.String({ description: 'Login of the user who created it' }),
    is_customized: Type.Boolean({ description: 'It does not look plain' }),
    is_gs1: Type.Boolean(),
  },
  { $id: 'QrCode' },
)
export type QrCodeRecord = Static<typeof QrCode>

export const Gs1 = Type.Object(
  {
    values: Type.Array(
      Type.Object({
        key: Type.String({
          ...bounds({ pattern: '^[0-9]{2,4}$' }),
          description: 'An application identifier, such as `01`',
        }),
        value: Type.String(bounds({ minLength: 1, maxLength: 90 })),
      }),
      bounds({ maxItems: maxGs1Values }),
    ),
  },
  { description: 'A GS1 Digital Link' },
)

export const QrCodeDetails = Type.Object(
  { ...own, gs1: Type.Optional(Gs1), render_customizations: RenderCustomizations },
  { $id: 'QrCodeDetails' },
)
