/** Uploading an image: writers of a group may. The rules for pictures are in docs/api/images.md#what-is-accepted. */
import { webcrypto } from 'node:crypto'
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { randomBase62 } from '../values/random.js'
import { invalid, Refusal, type RefusalCode } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Blobs } from './blobs.js'
import { type Image, type ImageType, typeOf } from './image.js'
import { type EncodedImage, type ImageEncoder, type ImageFault, maxImageBytes } from './image-encoder.js'
import type { ImageStore } from './image-store.js'
import { maxLogoSide } from './logos.js'
import type { UnusedBlobs } from './unused-blobs.js'

export interface UploadDeps {
  readonly images: ImageStore
  readonly blobs: Blobs
  readonly unusedBlobs: UnusedBlobs
  readonly imageEncoder: ImageEncoder
  readonly clock: Clock
}

export interface UploadInput {
  readonly bytes: Uint8Array
  /** What the caller says it is; undefined when they do not know. */
  readonly type: string | undefined
  readonly name: string | undefined
}

// Far more logos than a group has, and a bound on its disk space: at most 20 GB of the largest ones.
export const imagesPerGroup = 1000

// Longer than any upload takes.
const uploadTimeout = 3_600_000

export async function uploadImage(
  deps: UploadDeps,
  { login }: Actor,
  { groupGuid }: WriterMembership,
  input: UploadInput,
): Promise<Image> {
  const name = input.name === undefined ? '' : requireName(input.name, 'images')
  const mimeType = requireType(input)
  const encoded = await deps.imageEncoder.encode(input.bytes, mimeType)
  if ('fault' in encoded) throw refusedFile('UNPROCESSABLE_ENTITY', sentenceFor(encoded.fault))
  // What cannot be drawn now could not be drawn as a logo either.
  const drawn = mimeType === 'image/svg+xml' && (await deps.imageEncoder.draw(encoded.bytes, mimeType, maxLogoSide))
  if (drawn && 'fault' in drawn) throw refusedFile('UNPROCESSABLE_ENTITY', sentenceFor(drawn.fault))

  const sha256 = await sha256Of(encoded.bytes)
  const { width, height, bytes } = encoded
  const size = bytes.byteLength
  const guid = newGuid('image')
  const fields = { guid, groupGuid, sha256, mimeType, width, height, size, name, createdBy: login }
  await store(deps, fields, encoded)
  const stored = await deps.images.find(guid)
  if (!stored) throw new Error(`the image ${guid} was removed while it was uploaded`)
  return stored
}

/** On another thread: twenty megabytes take long enough to be noticed. */
async function sha256Of(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

/** Images with the same bytes share them. Where nobody has them yet, they are written first and then used. */
async function store(
  { images, blobs, unusedBlobs, clock }: UploadDeps,
  fields: Omit<Image, 'organizationGuid' | 'blobKey' | 'createdAt'>,
  { bytes }: EncodedImage,
): Promise<void> {
  const add = (blobKey: string | undefined) =>
    images.add({ ...fields, blobKey, createdAt: clock.now(), limit: imagesPerGroup })
  let outcome = await add(undefined)
  if (outcome === 'no-blob') {
    const blobKey = `${fields.sha256}-${randomBase62(10)}`
    await images.addUnusedBlob(blobKey, clock.now() + uploadTimeout)
    await blobs.put(blobKey, bytes, fields.mimeType)
    outcome = await add(blobKey)
    await unusedBlobs.deleteDue()
  }
  if (outcome === 'added') return
  if (outcome === 'too-many') {
    const message = `A group has at most ${imagesPerGroup.toLocaleString('en')} images. Delete one first.`
    throw invalid('groupGuid', message, 'images')
  }
  throw new Error(`the image was not stored: ${outcome}`)
}

function requireType({ bytes, type: declared }: UploadInput): ImageType {
  if (bytes.byteLength === 0) throw invalid('file', 'Send the file of an image.', 'images')
  if (bytes.byteLength > maxImageBytes) throw refusedFile('PAYLOAD_TOO_LARGE', 'An image has at most 5 MiB.')
  const type = typeOf(bytes)
  if (type === undefined) {
    throw refusedFile('UNSUPPORTED_MEDIA_TYPE', 'The file is not a PNG, JPEG, WebP or SVG image (in UTF-8).')
  }
  if (declared !== undefined && declared !== type) {
    throw refusedFile('UNSUPPORTED_MEDIA_TYPE', `The file is ${type}, but was sent as another type. Send its own type.`)
  }
  return type
}

function refusedFile(code: RefusalCode, message: string): Refusal {
  return new Refusal(code, message, { field: 'file', resource: 'images' })
}

const sentences = {
  broken: 'The image is damaged or incomplete, or has no area. Save it again with another program.',
  'too-many-pixels': 'The image has more than 16 megapixels (16,777,216 pixels). Make it smaller.',
  'too-much-work': 'The image takes too long to read or to draw. Make it simpler.',
  'too-large': 'The image is too large once it is unpacked. Make it simpler.',
  'too-complex':
    'The SVG image has too many shapes, layers, patterns or filters. Make it simpler, or upload it as PNG, JPEG or WebP.',
  entities: 'An SVG image must not declare entities.',
} as const

function sentenceFor(fault: ImageFault): string {
  if (!fault.startsWith('element ')) return sentences[fault as keyof typeof sentences]
  const element = fault.slice('element '.length)
  const advice =
    element === 'text' ? 'Convert text to paths.' : 'Remove it, or upload the whole picture as PNG, JPEG or WebP.'
  return `An SVG image must not contain <${element}>. ${advice}`
}
