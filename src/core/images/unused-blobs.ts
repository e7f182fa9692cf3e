import type { Clock } from '../values/time.js'
import type { Blobs } from './blobs.js'
import type { ImageStore } from './image-store.js'

export interface UnusedBlobsDeps {
  readonly images: Pick<ImageStore, 'unusedBlobs' | 'forgetUnusedBlob'>
  readonly blobs: Pick<Blobs, 'remove'>
  readonly clock: Clock
  readonly onFailure: (error: unknown) => void
}

/** Deletes blobs that nothing uses: of images and jobs that were removed, and what an interrupted upload left behind. */
export class UnusedBlobs {
  readonly #deps: UnusedBlobsDeps

  constructor(deps: UnusedBlobsDeps) {
    this.#deps = deps
  }

  /** Never rejects: what could not be deleted stays listed, and is tried again with the next upload or removal, or an hour later. */
  async deleteDue(): Promise<void> {
    const { images, blobs, clock, onFailure } = this.#deps
    try {
      for (const key of await images.unusedBlobs(clock.now())) {
        await blobs.remove(key)
        await images.forgetUnusedBlob(key)
      }
    } catch (error) {
      onFailure(error)
    }
  }
}
