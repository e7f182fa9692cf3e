import type { Image } from './image.js'

/**
 * Stores what is known about images, and which blobs hold their bytes. Each method is one atomic step;
 * image-store.contract.ts defines the behaviour.
 *
 * Blobs are outside the database, so they cannot be written and deleted in its transactions. Instead every blob that no
 * image uses is listed as unused: from before it is written until an image uses it, and again from the moment the last
 * image is removed until it is deleted. A blob that was unused once never comes back; the same bytes get a new key.
 */
export interface ImageStore {
  /**
   * Adds an image whose bytes are stored already: under the key that other images with these bytes use, or else under the
   * given one, which must be listed as unused and not yet be due. Without either, `no-blob`.
   */
  add(image: NewImage): Promise<'added' | 'no-blob' | 'no-group' | 'too-many'>
  find(guid: string): Promise<Image | undefined>
  /** Images of a group, newest first. */
  page(page: ImagePage): Promise<readonly Image[]>
  /** Undefined when there is no such image. */
  rename(guid: string, name: string): Promise<Image | undefined>
  /** `in-use` while a QR code has the image (qr-code-store.contract.ts tests that). The blob of the last image with these bytes becomes unused, due `at`. */
  remove(guid: string, at: number): Promise<'removed' | 'no-image' | 'in-use'>

  /** Lists a blob as unused: an image has to use it before `due`, or it is deleted. */
  addUnusedBlob(key: string, due: number): Promise<void>
  /** Unused blobs that are due. */
  unusedBlobs(at: number): Promise<readonly string[]>
  /** Takes a blob that was deleted off the list. */
  forgetUnusedBlob(key: string): Promise<void>
}

export interface NewImage extends Omit<Image, 'organizationGuid' | 'blobKey'> {
  /** Where the caller has put the bytes; undefined before it did. */
  readonly blobKey: string | undefined
  /** Maximum number of images of the group, including this one. */
  readonly limit: number
}

interface ImagePage {
  readonly groupGuid: string
  /** Continues after this image. */
  readonly after: ImagePosition | undefined
  readonly size: number
}

type ImagePosition = Pick<Image, 'createdAt' | 'guid'>
