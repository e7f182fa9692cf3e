/** A file of clicks to import, and the file beside it for rejected lines. Knows lines and bytes, not their content. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, appendFile, type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ImportPiece, type ImportSource, maxLineLength } from '../../core/clicks/import-prepare.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface ClickFile extends ImportSource {
  readonly size: number
  /** Path of the file for rejected lines. */
  readonly rejects: string
  /** Hashes visitors; only somebody who has the file can compute it. */
  readonly secret: string
  /** Throws if the file was changed since it was opened. */
  requireUnchanged(): Promise<void>
  close(): Promise<void>
}

/** Reads the whole file once: the digest of its bytes identifies it. */
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
      // The log stores this id permanently, so it must not reveal the secret.
      journalId: `import-${shortDigest(`journal ${digest}`)}`,
      secret: shortDigest(`visitors ${digest}`),
      linesAfter: (line) => piecesAfter(file, line),
      forgetRejects: () => rm(rejects, { force: true }),
      reject: (lines) => appendFile(rejects, lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
      async requireUnchanged() {
        const now = await file.stat()
        if (now.size === size && now.mtimeMs === mtimeMs) return
        throw new OperatorError(
          `${path} was changed while it was imported: lines that were removed may be counted, and lines may be counted twice ` +
            'if you import it again. Import only files that nobody writes to.',
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
      EACCES: 'The user that runs shortlink may not read it',
    }
    throw new OperatorError(`Cannot import ${path}: ${reasons[error.code ?? ''] ?? error.message}.`)
  })
  const found = await file.stat()
  if (found.isFile()) return file
  await file.close()
  if (found.isDirectory())
    throw new OperatorError(
      `Cannot import ${path}: it is a folder. Name a file with one click per line. An export of shortlink is read by ` +
        `"shortlink import ${path}", into a new, empty installation.`,
    )
  throw new OperatorError(
    `Cannot import ${path}: it is not a file. An import from a pipe could not be resumed; write it to a file first.`,
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

/** Checked before the import, not at the first bad line an hour later. */
async function requireWritable(rejects: string): Promise<void> {
  try {
    await access(dirname(rejects), constants.W_OK)
  } catch {
    throw new OperatorError(
      `Cannot write ${rejects}, the file for rejected lines. Copy the import file to a folder that the user that ` +
        'runs shortlink may write to.',
    )
  }
}

/** Some thousand lines, which take a few milliseconds. Memory holds one piece, whatever the size of the file. */
const pieceBytes = 512 * 1024

const lineFeed = 0x0a

/**
 * The lines after this one. The last line may lack its line feed. A line longer than `maxLength` is truncated to one
 * byte more, so that the caller can see that it is too long.
 */
export async function* piecesAfter(
  file: FileHandle,
  after: number,
  maxLength = maxLineLength,
): AsyncGenerator<ImportPiece> {
  /** Starts with the incomplete line; the last byte is for a line feed that may be missing at the end of the file. */
  const buffer = Buffer.allocUnsafe(maxLength + 1 + pieceBytes + 1)
  let begun = 0
  /** The file position, and the number of complete lines before it. */
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
    // Lines that were imported before are only counted.
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
    // Drop the rest of a line that is too long.
    begun = Math.min(filled - whole, maxLength + 1)
    buffer.copyWithin(0, whole, whole + begun)
  }
}

function lineFeedsIn(buffer: Buffer, from: number, to: number): number[] {
  const ends: number[] = []
  const searched = buffer.subarray(0, to)
  for (let end = searched.indexOf(lineFeed, from); end >= 0; end = searched.indexOf(lineFeed, end + 1)) ends.push(end)
  return ends
}
