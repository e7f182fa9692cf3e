/** Images of a group, such as logos of QR codes: the public service names them by guid, but has no operations to upload them. */

import { type Static, Type } from 'typebox'
import { type Actor, requireWriter, type WriterMembership } from '../../core/accounts/actor.js'
import { type Image, imageTypes } from '../../core/images/image.js'
import { maxImageBytes } from '../../core/images/image-encoder.js'
import {
  findImage,
  type ImageDeps,
  imageBytes,
  listImages,
  type RemoveImageDeps,
  readImage,
  removeImage,
  renameImage,
  writableImage,
} from '../../core/images/images.js'
import { imagesPerGroup, type UploadDeps, uploadImage } from '../../core/images/upload.js'
import { timestamp } from '../../core/values/time.js'
import { isKnown } from '../http/etag.js'
import { formData, readImageBodies, type Upload, type UploadedFile } from '../http/image-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { everybody, groupMember, textIn } from './access.js'
import { type BaseUrlDeps, type RouteRequest, route } from './route.js'
import { guidBounds, nameBounds } from './schemas/bounds.js'
import { ErrorBody, refusals } from './schemas/error.js'
import { moment, named } from './schemas/fields.js'
import { defaultSize, pageAnswer, pageFields, pagination } from './schemas/lists.js'

export type ImageRouteDeps = UploadDeps & ImageDeps & RemoveImageDeps & BaseUrlDeps

export const ImageBody = Type.Object(
  {
    references: Type.Object(
      { group: Type.String(), file: Type.String({ description: 'The file; needs no token' }) },
      { description: 'URLs of related data' },
    ),
    guid: Type.String({ description: 'The `image_guid` of logos. Whoever knows it can fetch the file.' }),
    group_guid: Type.String(),
    name: Type.String({ description: 'Empty when none was given' }),
    mime_type: Type.String({ enum: [...imageTypes] }),
    width: Type.Integer({ description: 'Pixels' }),
    height: Type.Integer({ description: 'Pixels' }),
    bytes: Type.Integer({ description: 'Size of the file' }),
    sha256: Type.String({ description: 'Of the file, in hex' }),
    created: moment(),
    created_by: Type.String({ description: 'Login' }),
  },
  { $id: 'Image' },
)

const where = {
  group_guid: Type.Optional(Type.String({ ...guidBounds, description: 'Default: your default group' })),
  name: Type.Optional(Type.String({ ...nameBounds, description: 'At most 255 characters' })),
}
const UploadForm = Type.Object({
  file: Type.Unsafe<UploadedFile>({ ...bounds({ type: 'string', format: 'binary' }), description: 'The image' }),
  ...where,
})
/** The whole body is the file. */
const RawFile = { schema: Type.Unsafe<Uint8Array>(bounds({ type: 'string', format: 'binary' })) }
const rawFiles = Object.fromEntries(imageTypes.map((type) => [type, RawFile]))

const ListQuery = Type.Object({
  ...pageFields('Images per page', { default: defaultSize }),
})

const ImageList = pageAnswer('images', named(ImageBody, 'An image'), 'A page of images')

export function imageRoutes(http: TypedFastify, deps: ImageRouteDeps): void {
  const { baseUrl } = deps.config
  const tag = 'Images'

  http.register(async (uploads: TypedFastify) => {
    readImageBodies(uploads, imageTypes)
    route(uploads, tag, 'createImage: POST /v4/images', {
      scope: ['links:write', 'qr', 'sites'],
      access: writerOfUpload,
      // Room for the other parts of a form.
      bodyLimit: maxImageBytes + 64 * 1024,
      config: { contentTypes: [formData, ...imageTypes] },
      summary: 'Upload an image',
      description:
        'PNG, JPEG, WebP or SVG, at most 5 MiB and 16 megapixels, as the field `file` of a form or as the whole body. ' +
        'It is encoded again: metadata, scripts and further frames are removed. ' +
        `A group has at most ${imagesPerGroup.toLocaleString('en')} images.`,
      querystring: Type.Object(where),
      body: { content: { [formData]: { schema: UploadForm }, ...rawFiles } },
      response: {
        201: named(ImageBody, 'The image as it was stored'),
        ...refusals(415),
        413: named(ErrorBody, 'The file is larger than 5 MiB'),
        422: named(ErrorBody, 'The form cannot be read, or the image cannot be stored; `description` says why'),
      },
      answer: async ({ actor, body, query }, group) => {
        const { file, name = query.name } = body as Upload & { file: UploadedFile }
        return presentImage(await uploadImage(deps, actor, group, { ...file, name }), baseUrl)
      },
    })
  })

  route(http, tag, 'getImage: GET /v4/images/:image_guid', {
    scope: ['links:read', 'qr', 'sites'],
    access: ({ actor, params }) => readImage(deps, actor, params.image_guid),
    summary: 'Get an image',
    description: 'Its size, type and address; not its bytes.',
    response: { 200: named(ImageBody, 'The image'), ...refusals(404) },
    answer: async (_request, image) => presentImage(image, baseUrl),
  })

  route(http, tag, 'getImageFile: GET /v4/images/:image_guid/file', {
    scope: 'any',
    access: everybody,
    config: { isPublic: true },
    summary: 'Get the file of an image',
    description: 'Needs no token, so that pages can show it: its guid cannot be guessed. It never changes.',
    security: [],
    response: {
      200: { description: 'The file', content: rawFiles },
      304: Type.Null({ description: 'You have it already (`If-None-Match`)' }),
      ...refusals(404),
    },
    answer: async (request, _granted, reply) => {
      const image = await findImage(deps, request.params.image_guid)
      const etag = `"${image.sha256}"`
      const bytes = isKnown(request.headers['if-none-match'], etag) ? undefined : await imageBytes(deps, image)
      // `sandbox`: an SVG that is opened by itself runs no scripts, even if one was left in it.
      reply.headers({ ...cachedForEver, 'content-security-policy': "default-src 'none'; sandbox", etag })
      if (!bytes) return reply.code(304).send(null)
      return reply.type(image.mimeType).send(bytes)
    },
  })

  route(http, tag, 'updateImage: PATCH /v4/images/:image_guid', {
    scope: ['links:write', 'qr', 'sites'],
    access: ({ actor, params }) => writableImage(deps, actor, params.image_guid),
    summary: 'Rename an image',
    description: 'Its file never changes: upload another image instead.',
    body: Type.Object({ name: Type.Optional(Type.String({ ...nameBounds, description: 'At most 255 characters' })) }),
    response: { 200: named(ImageBody, 'The image'), ...refusals(404) },
    answer: async ({ body: { name } }, image) =>
      presentImage(name === undefined ? image : await renameImage(deps, image, name), baseUrl),
  })

  route(http, tag, 'deleteImage: DELETE /v4/images/:image_guid', {
    scope: ['links:write', 'qr', 'sites'],
    access: ({ actor, params }) => writableImage(deps, actor, params.image_guid),
    summary: 'Delete an image',
    description: 'An image that a QR code uses as its logo cannot be deleted.',
    response: {
      204: Type.Null({ description: 'Deleted' }),
      ...refusals(404),
      409: named(ErrorBody, 'A QR code uses the image'),
    },
    answer: (_request, image) => removeImage(deps, image),
  })

  route(http, tag, 'listGroupImages: GET /v4/groups/:group_guid/images', {
    scope: ['links:read', 'qr', 'sites'],
    access: groupMember,
    summary: 'List the images of a group',
    description: 'Newest first.',
    querystring: ListQuery,
    response: { 200: ImageList },
    answer: async (request) => {
      const { size = defaultSize, search_after: given } = request.query
      const input = { size, searchAfter: given }
      const { images, searchAfter } = await listImages(deps, request.actor, request.params.group_guid, input)
      return {
        images: images.map((image) => presentImage(image, baseUrl)),
        pagination: pagination(baseUrl + request.url, searchAfter, size),
      }
    },
  })
}

const cachedForEver = { 'cache-control': 'public, max-age=31536000, immutable' }

/** The group that the form names, or else the query; or else the default group. */
function writerOfUpload({ actor, body, query }: RouteRequest & { readonly actor: Actor }): WriterMembership {
  return requireWriter(actor, textIn(body, 'group_guid') || textIn(query, 'group_guid') || actor.defaultGroupGuid)
}

function presentImage(image: Image, baseUrl: string): Static<typeof ImageBody> {
  return {
    references: {
      group: `${baseUrl}/v4/groups/${image.groupGuid}`,
      file: `${baseUrl}/v4/images/${image.guid}/file`,
    },
    guid: image.guid,
    group_guid: image.groupGuid,
    name: image.name,
    mime_type: image.mimeType,
    width: image.width,
    height: image.height,
    bytes: image.size,
    sha256: image.sha256,
    created: timestamp(image.createdAt),
    created_by: image.createdBy,
  }
}
