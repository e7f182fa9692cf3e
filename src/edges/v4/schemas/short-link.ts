import { type Static, Type } from 'typebox'
import { deeplinkSystems, installTypes } from '../../../core/links/deeplink.js'
import { bounds } from '../../http/validation.js'
import { appBounds, appPathBounds, conditionListBounds, guidBounds, installUrlBounds, longUrlBounds } from './bounds.js'
import { optionalText, shownAddress } from './fields.js'
import { shownLinkFields } from './link-fields.js'

export const Deeplink = Type.Object(
  {
    guid: Type.String(),
    shortlink: shownAddress({ description: 'The link it belongs to, `<domain>/<hash>`' }),
    app_uri_path: Type.String(),
    install_url: Type.String(),
    app_guid: Type.String(),
    os: Type.String({ description: `One of ${deeplinkSystems.join(', ')}` }),
    install_type: Type.String({ description: `One of ${installTypes.join(', ')}` }),
    created: Type.String(),
    modified: Type.String(),
    brand_guid: Type.String(),
  },
  { $id: 'Deeplink' },
)

/** Accepts `app_id`, which clients send on create, and `app_guid`, which they send on update. */
export const DeeplinkBody = Type.Object(
  {
    guid: Type.Optional(Type.String({ description: 'Guid of an existing deep link of this short link, to update it' })),
    app_guid: optionalText('The mobile app: its guid, package name or bundle id', appBounds),
    app_id: Type.Optional(Type.String({ ...appBounds, description: 'Alias of `app_guid`' })),
    app_uri_path: Type.Optional(Type.String({ ...appPathBounds, description: 'Path inside the app' })),
    install_url: optionalText('The store page of the app by default', installUrlBounds),
    install_type: Type.Optional(
      Type.String({
        ...bounds({ enum: [...installTypes] }),
        description: `One of ${installTypes.join(', ')}; the first by default`,
      }),
    ),
    os: Type.Optional(
      Type.String({
        ...bounds({ enum: [...deeplinkSystems] }),
        description: `One of ${deeplinkSystems.join(', ')}; that of the app by default`,
      }),
    ),
    brand_guid: Type.Optional(Type.String(guidBounds)),
  },
  { title: 'Deeplink' },
)

const values = (description: string, pattern: string) =>
  Type.Optional(Type.Array(Type.String(bounds({ pattern })), { ...conditionListBounds, description }))
const country = '^[A-Za-z]{2}$'
const region = '^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$'
const device = '^([Mm][Oo][Bb][Ii][Ll][Ee]|[Tt][Aa][Bb][Ll][Ee][Tt]|[Dd][Ee][Ss][Kk][Tt][Oo][Pp])$'
const os = '^([Ii][Oo][Ss]|[Aa][Nn][Dd][Rr][Oo][Ii][Dd])$'

const routingRule = {
  long_url: Type.String({ ...longUrlBounds, description: 'Destination for visitors who match the rule' }),
  country_match: values('Countries, ISO 3166-1 alpha-2', country),
  country_exclude: values('Countries to exclude', country),
  region_match: values('Regions, ISO 3166-2, such as `US-CA`', region),
  region_exclude: values('Regions to exclude', region),
  device_match: values('`mobile`, `tablet`, `desktop`', device),
  device_exclude: values('Devices to exclude', device),
  os_match: values('`ios`, `android`', os),
  os_exclude: values('Operating systems to exclude', os),
}

export const RoutingRuleBody = Type.Object(routingRule, { title: 'RoutingRule' })

export const RoutingRule = Type.Object(routingRule, { $id: 'RoutingRule' })

const timestamp = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

/** `created_by`, `client_id` and `dynamic_routing` are absent when empty. */
export const ShortLink = Type.Object(
  {
    references: Type.Object({ group: Type.String() }, { description: 'URLs of related data' }),
    link: Type.String({ description: 'The short URL' }),
    id: shownAddress({ description: '`<domain>/<hash>`' }),
    long_url: Type.String({ description: 'Destination' }),
    ...shownLinkFields,
    archived: Type.Boolean(),
    created_at: Type.String({ description: timestamp }),
    created_by: Type.Optional(Type.String({ description: 'Login of the user who created the link' })),
    client_id: Type.Optional(Type.String({ description: 'The OAuth application that created the link' })),
    custom_shortlinks: Type.Array(Type.String(), { description: 'Custom short URLs of this link, newest first' }),
    tags: Type.Array(Type.String()),
    launchpad_ids: Type.Array(Type.String()),
    qr_code_ids: Type.Array(Type.String()),
    deeplinks: Type.Array(Type.Unsafe<Static<typeof Deeplink>>({ $ref: 'Deeplink#' })),
    campaign_ids: Type.Array(Type.String()),
    is_deleted: Type.Boolean(),
    dynamic_routing: Type.Optional(
      Type.Array(Type.Unsafe<Static<typeof RoutingRule>>({ $ref: 'RoutingRule#' }), {
        description: 'Rules that send matching visitors to another destination; the first match wins',
      }),
    ),
  },
  { $id: 'ShortLink' },
)

/** The response of /shorten is a subset; the serializer drops the other fields. */
export const ShortenedLink = Type.Pick(
  ShortLink,
  ['references', 'link', 'id', 'long_url', 'archived', 'created_at', 'custom_shortlinks', 'tags', 'deeplinks'],
  { $id: 'ShortenedLink' },
)

/** A period during which a custom back-half pointed to one short link. */
export const KeywordEntry = Type.Object(
  {
    group_guid: Type.String(),
    keyword: Type.String(),
    bsd: Type.String({ description: 'The domain' }),
    hash: Type.String({ description: 'Hash of the short link it pointed to' }),
    login: Type.String({ description: 'Login of the user who set it' }),
    long_url: Type.String(),
    created: Type.String({ description: timestamp }),
    first_created: Type.String({ description: 'When the custom short link was created' }),
    deactivated: Type.String({ description: 'Empty for the active entry' }),
    is_active: Type.Boolean(),
  },
  { title: 'KeywordEntry' },
)

export const CustomShortLink = Type.Object(
  {
    custom_shortlink: shownAddress({ description: '`<domain>/<keyword>`' }),
    shortlink: Type.Unsafe<Static<typeof ShortLink>>({ $ref: 'ShortLink#' }),
    shortlink_history: Type.Array(KeywordEntry, { description: 'Current and former short links, newest first' }),
  },
  { $id: 'CustomShortLink' },
)
