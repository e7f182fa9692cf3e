/**
 * A file of clicks to be imported, and the file beside it for the lines that cannot be. It knows lines and bytes, not
 * what is in them.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, appendFile, type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ImportPiece, type ImportSource, maxLineLength } from '../../core/clicks/import-prepare.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface ClickFile extends ImportSource {
  readonly size: number
  /** Where rejected lines go. */
  readonly rejects: string
  /** Known to nobody who does not have the file: what visitors are hashed with. */
  readonly secret: string
  /** Throws when the file is no longer the one that was opened. */
  requireUnchanged(): Promise<void>
  close(): Promise<void>
}

/** Reads the whole file once: two files are the same when all of their bytes are. */
export async function openClickFile(path: string): Promise<ClickFile> {
  const file = await openFile(path)
  try {
    const { size, mtimeMs } = await file.stat()
    const digest = await digestOf(file)
    const rejects = `${path}.rejects.ndjson`
    await requireWritable(rejects)
    return {
      size,
      rejects,
      // The log keeps this id for ever, so that it must not be the secret itself.
      journalId: `import-${shortDigest(`journal ${digest}`)}`,
      secret: shortDigest(`visitors ${digest}`),
      linesAfter: (line) => piecesAfter(file, line),
      forgetRejects: () => rm(rejects, { force: true }),
      reject: (lines) => appendFile(rejects, lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
      async requireUnchanged() {
        const now = await file.stat()
        if (now.size === size && now.mtimeMs === mtimeMs) return
        throw new OperatorError(
          `${path} was changed while it was imported: some of its lines may be counted that are no longer in it, or twice ` +
            'when it is imported again. Import files that nobody writes to.',
        )
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'There is no such file',
      EACCES: 'The user that shortlink runs as may not read it',
    }
    throw new OperatorError(`${path} cannot be imported: ${reasons[error.code ?? ''] ?? error.message}.`)
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new OperatorError(
    `${path} cannot be imported: it is not a file. A pipe cannot be continued; write it to a file first.`,
  )
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Before anything is imported, and not at the first bad line an hour later. */
async function requireWritable(rejects: string): Promise<void> {
  try {
    await access(dirname(rejects), constants.W_OK)
  } catch {
    throw new OperatorError(
      `${rejects} cannot be written: lines that cannot be imported go there. Copy the file to a folder that the user ` +
        'shortlink runs as may write to.',
    )
  }
}

/** Some thousand lines, which take a few milliseconds. Memory holds one piece, whatever the size of the file. */
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
