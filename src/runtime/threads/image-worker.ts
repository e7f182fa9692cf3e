/** The process that decodes one picture, and ends. What it does to the picture: storage/images/re-encode.ts. */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { ImageType } from '../../core/images/image.js'
import { draw, reEncode } from '../../storage/images/re-encode.js'

export type ImageJob =
  | { readonly task: 'encode'; readonly bytes: Uint8Array; readonly type: ImageType }
  | { readonly task: 'draw'; readonly bytes: Uint8Array; readonly type: ImageType; readonly side: number }

process.once('message', async (job: ImageJob) => {
  const { bytes, type } = job
  const outcome = await (job.task === 'draw' ? draw(bytes, type, job.side) : reEncode(bytes, type))
  process.send?.(outcome, () => process.disconnect())
})

// Redirects go first; and where memory runs out, Linux ends this process and not the service. A sandbox may forbid both.
const modesties = [() => setPriority(10), () => writeFileSync('/proc/self/oom_score_adj', '1000', { flag: 'r+' })]
for (const modesty of modesties) {
  try {
    modesty()
  } catch {}
}
