/** A file's lines, numbered, in pieces of bounded size: whatever the file holds, memory holds one piece of it. */
import type { FileHandle } from 'node:fs/promises'
import { type ImportPiece, maxLineLength } from '../../core/clicks/import-prepare.js'

/** Our choice: some thousand lines, which are worked through in a few milliseconds. */
const pieceBytes = 512 * 1024

const lineFeed = 0x0a

/**
 * The lines after this one. The last one may or may not end with a line feed. Of one that is longer than `longest` there
 * is so much that this can be seen.
 */
export async function* piecesAfter(
  file: FileHandle,
  after: number,
  longest = maxLineLength,
): AsyncGenerator<ImportPiece> {
  /** Begins with the line that has not ended yet; the last byte is for the line feed that a file may lack at its end. */
  const buffer = Buffer.allocUnsafe(longest + 1 + pieceBytes + 1)
  let begun = 0
  /** Where reading is, and how many lines ended before. */
  let position = 0
  let ended = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, begun, pieceBytes, position)
    position += bytesRead
    let filled = begun + bytesRead
    if (bytesRead === 0) {
      if (begun === 0) return
      buffer[filled++] = lineFeed
    }
    const ends = lineFeedsIn(buffer, begun, filled)
    const whole = (ends.at(-1) ?? -1) + 1
    // What was dealt with before is only counted.
    const skipped = Math.min(ends.length, Math.max(0, after - ended))
    const from = skipped === 0 ? 0 : (ends[skipped - 1] ?? 0) + 1
    if (ends.length > skipped) {
      yield {
        first: ended + skipped + 1,
        data: buffer.subarray(from, whole),
        ends: from === 0 ? ends : ends.slice(skipped).map((end) => end - from),
        bytes: position - (filled - whole),
      }
    }
    ended += ends.length
    if (bytesRead === 0) return
    // Of a line that is too long already, what comes is left out.
    begun = Math.min(filled - whole, longest + 1)
    buffer.copyWithin(0, whole, whole + begun)
  }
}

function lineFeedsIn(buffer: Buffer, from: number, to: number): number[] {
  const ends: number[] = []
  const searched = buffer.subarray(0, to)
  for (let end = searched.indexOf(lineFeed, from); end >= 0; end = searched.indexOf(lineFeed, end + 1)) ends.push(end)
  return ends
}
