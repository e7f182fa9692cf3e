/** Reading and removing images: members of the group see them, its writers rename and remove them. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { isGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Blobs } from './blobs.js'
import type { Image } from './image.js'
import type { ImageStore } from './image-store.js'
import type { UnusedBlobs } from './unused-blobs.js'

export interface ImageDeps {
  readonly images: ImageStore
}

export async function readImage(deps: ImageDeps, actor: Actor, guid: string): Promise<Image> {
  const image = await findImage(deps, guid)
  requireGroup(actor, image.groupGuid)
  return image
}

/** Like `readImage`, for changing or removing it. */
export async function writableImage(deps: ImageDeps, actor: Actor, guid: string): Promise<Image> {
  const image = await readImage(deps, actor, guid)
  requireWriter(actor, image.groupGuid)
  return image
}

/** Without an access check: whoever knows the guid may have the file. */
export async function findImage({ images }: ImageDeps, guid: string): Promise<Image> {
  const image = isGuid(guid) ? await images.find(guid) : undefined
  if (!image) throw imageNotFound()
  return image
}

export async function imageBytes({ blobs }: { readonly blobs: Blobs }, image: Image): Promise<Uint8Array> {
  const bytes = await blobs.get(image.blobKey)
  // It was removed since it was found.
  if (!bytes) throw imageNotFound()
  return bytes
}

export interface ListImagesInput {
  readonly size: number
  /** Continues a list: `searchAfter` of the page before. */
  readonly searchAfter: string | undefined
}

export interface ListedImages {
  readonly images: readonly Image[]
  /** Continues the list; undefined at its end. */
  readonly searchAfter: string | undefined
}

export async function listImages(
  deps: ImageDeps,
  actor: Actor,
  groupGuid: string,
  { size, searchAfter }: ListImagesInput,
): Promise<ListedImages> {
  requireGroup(actor, groupGuid)
  const position = searchAfter === undefined ? undefined : positionIn(searchAfter, 'images')
  const after = position && { createdAt: position.at, guid: position.id }
  const found = await deps.images.page({ groupGuid, after, size: size + 1 })
  const images = found.slice(0, size)
  const last = found.length > size ? images.at(-1) : undefined
  return { images, searchAfter: last && cursorOf({ at: last.createdAt, id: last.guid }) }
}

/** The caller has checked access. */
export async function renameImage({ images }: ImageDeps, { guid }: Image, name: string): Promise<Image> {
  const renamed = await images.rename(guid, requireName(name, 'images'))
  if (!renamed) throw imageNotFound()
  return renamed
}

export interface RemoveImageDeps extends ImageDeps {
  readonly unusedBlobs: UnusedBlobs
  readonly clock: Clock
}

/** The caller has checked access. */
export async function removeImage(deps: RemoveImageDeps, { guid }: Image): Promise<void> {
  const outcome = await deps.images.remove(guid, deps.clock.now())
  if (outcome === 'no-image') throw imageNotFound()
  if (outcome === 'in-use') {
    const message = 'A QR code or a site uses this image. Remove the image there first.'
    throw new Refusal('CONFLICT', message, { resource: 'images' })
  }
  await deps.unusedBlobs.deleteDue()
}

function imageNotFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such image.', { resource: 'images' })
}
