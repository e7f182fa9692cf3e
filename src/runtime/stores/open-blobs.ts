/** Opens the store for the bytes of images. Separate from app.ts, because commands need it without the service. */
import { join } from 'node:path'
import type { Config } from '../../config/config.js'
import type { Blobs } from '../../core/images/blobs.js'
import type { Remote } from '../../lib/circuit-breaker.js'
import { diskBlobs } from '../../storage/blobs/disk-blobs.js'
import { s3Blobs } from '../../storage/blobs/s3-blobs.js'

/** `onTrouble` is called when a store elsewhere does not work. */
export function openBlobs(
  { dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>,
  onTrouble?: (error: unknown) => void,
): Blobs & Partial<Remote> {
  if (s3Url === undefined) return diskBlobs(join(dataDir, 'images'))
  const blobs = s3Blobs(s3Url)
  if (onTrouble) blobs.check().catch(onTrouble)
  return blobs
}
