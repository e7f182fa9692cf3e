/** Opens what keeps, decodes and draws pictures. A part of the composition root. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { Blobs } from '../core/images/blobs.js'
import type { ImageEncoder } from '../core/images/image-encoder.js'
import { Logos } from '../core/images/logos.js'
import { UnusedBlobs } from '../core/images/unused-blobs.js'
import type { Clock } from '../core/values/time.js'
import type { Closing } from '../lib/closing.js'
import { PictureCache } from '../storage/qr-images/picture-cache.js'
import { RenderedQrImages } from '../storage/qr-images/qr-images.js'
import type { Records } from '../storage/records/records.js'
import { openBlobs } from './stores/open-blobs.js'
import { ImageProcesses } from './threads/image-processes.js'
import type { QrImageThreadMethods } from './threads/qr-image-worker.js'
import { startModule } from './threads/start-module.js'
import { WorkerThread } from './threads/worker-thread.js'

export interface OpenedImages {
  /** The bytes of images. */
  readonly blobs: Blobs
  readonly unusedBlobs: UnusedBlobs
  readonly imageEncoder: ImageEncoder
  readonly logos: Logos
}

/** Where images are kept, and what decodes them. Blobs that an interrupted upload or removal left are deleted now. */
export function openImages(
  config: Config,
  log: Logger,
  deps: Pick<Records, 'images'> & { readonly clock: Clock },
  closing: Closing,
): OpenedImages {
  const blobs = openBlobs(config, (err) => log.error({ err }, 'images cannot be stored: check s3Url'))
  const onFailure = (err: unknown) => log.warn({ err }, 'unused images could not be deleted; tried again later')
  const unusedBlobs = new UnusedBlobs({ ...deps, blobs, onFailure })
  void unusedBlobs.deleteDue()
  const imageEncoder = closing.add(new ImageProcesses(log))
  return { blobs, unusedBlobs, imageEncoder, logos: new Logos({ blobs, imageEncoder }) }
}

/** Our choice: some ten thousand pictures. */
const mostCachedBytes = 256 * 2 ** 20

export function openQrImages({ dataDir }: Config, log: Logger, closing: Closing): RenderedQrImages {
  const thread = new WorkerThread<QrImageThreadMethods>({
    name: 'QR image thread',
    begin: () => startModule('qr-images', undefined),
    unavailable: 'Pictures are not available at the moment',
    meanwhile: 'pictures fail until it is running again',
    log,
    closingTime: 2_000,
  })
  return new RenderedQrImages({
    renderer: closing.add(thread).methods,
    cache: new PictureCache(join(dataDir, 'qr-images'), mostCachedBytes),
    onFailure: (err) => log.warn({ err }, 'cannot cache a picture of a QR code; it is drawn again when asked for'),
  })
}
