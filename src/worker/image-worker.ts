/** The process that decodes one picture, and ends. What it does to the picture: storage/images/re-encode.ts. */
import { setPriority } from 'node:os'
import type { ImageType } from '../core/images/image.js'
import { reEncode } from '../storage/images/re-encode.js'

export interface ImageJob {
  readonly bytes: Uint8Array
  readonly type: ImageType
}

process.once('message', async ({ bytes, type }: ImageJob) => {
  const outcome = await reEncode(bytes, type)
  process.send?.(outcome, () => process.disconnect())
})

try {
  // Redirects go first.
  setPriority(10)
} catch {
  // A sandbox may forbid it.
}
