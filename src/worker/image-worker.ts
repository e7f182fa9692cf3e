/** The process that decodes one picture, and ends. What it does to the picture: storage/images/re-encode.ts. */
import { setPriority } from 'node:os'
import type { ImageType, PixelType } from '../core/images/image.js'
import { reEncode, shrink } from '../storage/images/re-encode.js'

export type ImageJob =
  | { readonly task: 'encode'; readonly bytes: Uint8Array; readonly type: ImageType }
  | { readonly task: 'shrink'; readonly bytes: Uint8Array; readonly type: PixelType; readonly side: number }

process.once('message', async (job: ImageJob) => {
  const { bytes, type } = job
  const outcome = await (job.task === 'shrink' ? shrink(bytes, job.type, job.side) : reEncode(bytes, type))
  process.send?.(outcome, () => process.disconnect())
})

try {
  // Redirects go first.
  setPriority(10)
} catch {
  // A sandbox may forbid it.
}
