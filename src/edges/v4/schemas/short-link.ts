import { Type } from 'typebox'

/** Deep links come with a later release; the shape is v4's. */
export const Deeplink = Type.Object(
  {
    guid: Type.String(),
    shortlink: Type.String({ description: 'The link it belongs to' }),
    app_uri_path: Type.String(),
    install_url: Type.String(),
    app_guid: Type.String(),
    os: Type.String(),
    install_type: Type.String(),
    created: Type.String(),
    modified: Type.String(),
    brand_guid: Type.String(),
  },
  { $id: 'Deeplink' },
)

const timestamp = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

/** v4 Short link. `title`, `created_by`, `client_id` and `expiration_at` are absent when empty. */
export const ShortLink = Type.Object(
  {
    references: Type.Object({ group: Type.String() }, { description: 'URLs of related data' }),
    link: Type.String({ description: 'The short URL' }),
    id: Type.String({ description: '`<domain>/<hash>`' }),
    long_url: Type.String({ description: 'Destination' }),
    title: Type.Optional(Type.String()),
    archived: Type.Boolean(),
    created_at: Type.String({ description: timestamp }),
    created_by: Type.Optional(Type.String({ description: 'Login of the user who made the link' })),
    client_id: Type.Optional(Type.String({ description: 'The application the link was made with' })),
    custom_shortlinks: Type.Array(Type.String(), { description: 'Custom short URLs of this link, newest first' }),
    tags: Type.Array(Type.String()),
    launchpad_ids: Type.Array(Type.String()),
    qr_code_ids: Type.Array(Type.String()),
    deeplinks: Type.Array(Type.Unsafe<object>({ $ref: 'Deeplink#' })),
    campaign_ids: Type.Array(Type.String()),
    expiration_at: Type.Optional(Type.String({ description: timestamp })),
  },
  { $id: 'ShortLink' },
)

/** v4 Short link: the answer of shorten is a subset; the serializer enforces it. */
export const ShortenedLink = Type.Pick(
  ShortLink,
  ['references', 'link', 'id', 'long_url', 'archived', 'created_at', 'custom_shortlinks', 'tags', 'deeplinks'],
  { $id: 'ShortenedLink' },
)
