/**
 * Files of jobs, as blobs of one MiB: on disk or in an S3 store, where every process finds them. Neither writing nor reading
 * has more than a part in memory.
 */
import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { JobFiles } from '../../core/bulk/jobs.js'
import type { Blobs } from '../../core/images/blobs.js'
import type { ImageStore } from '../../core/images/image-store.js'
import { randomBase62 } from '../../core/values/random.js'
import { Refusal } from '../../core/values/refusal.js'
import { TableError } from '../../core/values/table.js'
import type { Clock } from '../../core/values/time.js'
import { tableOf } from './open-table.js'
import type { RawRow } from './table-from-rows.js'

export interface JobFileDeps {
  readonly blobs: Blobs
  readonly images: Pick<ImageStore, 'addUnusedBlob'>
  readonly clock: Clock
  /** The rows of a workbook, whose file it closes. */
  readonly workbookRows: (open: () => Promise<FileHandle>, signal?: AbortSignal) => AsyncGenerator<RawRow>
}

const maxFileBytes = 100 * 1024 * 1024
const partBytes = 1024 * 1024
/** What an interrupted upload leaves is deleted after this time. */
const uploadTime = 3_600_000

export function blobJobFiles({ blobs, images, clock, workbookRows }: JobFileDeps): JobFiles {
  async function put(bytes: Uint8Array): Promise<string> {
    const key = `${hash('sha256', bytes)}-${randomBase62(10)}`
    // Listed before it exists: a crash leaves no blob that nobody knows of.
    await images.addUnusedBlob(key, clock.now() + uploadTime)
    await blobs.put(key, bytes, 'application/octet-stream')
    return key
  }

  async function* read(parts: readonly string[], signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const key of parts) {
      const bytes = await blobs.get(key)
      if (!bytes) throw new TableError('A part of the file is no longer stored. Send the file again.')
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        signal?.throwIfAborted()
        yield bytes.subarray(from, from + pieceBytes)
      }
    }
  }

  return {
    async write(stream) {
      const parts: string[] = []
      let size = 0
      for await (const bytes of partsOf(stream)) {
        size += bytes.length
        if (size > maxFileBytes) {
          throw new Refusal('PAYLOAD_TOO_LARGE', 'The file is larger than 100 MiB. Split it into several files.')
        }
        parts.push(await put(bytes))
      }
      return { parts, size }
    },

    read: (parts) => read(parts),

    async open(parts, signal) {
      return tableOf(
        () => read(parts, signal),
        (open) => workbookRows(open, signal),
      )
    },
  }
}

/** Read in less than a millisecond. */
const pieceBytes = 64 * 1024

async function* partsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length < partBytes) continue
    yield Buffer.concat(chunks)
    chunks = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(chunks)
}
