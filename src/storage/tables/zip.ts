/**
 * ZIP archives that users send. A size in the archive that is too large is refused at once. Others are not believed: what comes
 * out is counted, so that a small file cannot become an endless one.
 */
import { pipeline, type Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { TableError } from '../../core/values/table.js'

export interface ZipEntry {
  /** At most this many bytes, else a `TableError`. */
  read(maxBytes: number): AsyncGenerator<Uint8Array>
}

/** Of the list of entries, which is in memory. */
const maxListBytes = 4 * 1024 * 1024
/** Without the name, extra fields and comment of an entry. */
const entryBytes = 46

/** The entries by name. The file stays open. */
export async function openZip(fd: number): Promise<ReadonlyMap<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>()
  let listBytes = 0
  try {
    const zip = await fromFdPromise(fd, { decodeStrings: false, validateEntrySizes: false })
    for await (const entry of zip.eachEntry()) {
      listBytes += entryBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (listBytes > maxListBytes) throw damaged()
      if (entry.isEncrypted()) throw isProtected()
      entries.set(entry.fileNameRaw.toString(), { read: (maxBytes) => unpacked(zip, entry, maxBytes) })
    }
  } catch (error) {
    throw refusalOf(error)
  }
  return entries
}

async function* unpacked(zip: ZipFile, entry: Entry, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (entry.uncompressedSize > maxBytes) throw tooLarge(maxBytes)
  let bytes = 0
  try {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
    for await (const chunk of contentOf(entry.compressionMethod, packed)) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Inflated here and not by yauzl, whose pieces are small: a fourth of the time would be spent between them. */
function contentOf(method: number, packed: Readable): AsyncIterable<Buffer> {
  if (method === 0) return packed
  if (method !== 8) throw damaged()
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  // The reader of the content learns of errors.
  pipeline(packed, inflate, () => {})
  return inflate
}

/** Whatever yauzl and zlib cannot read; not what the disk cannot. */
function refusalOf(error: unknown): unknown {
  if (error instanceof TableError || !(error instanceof Error) || 'syscall' in error) return error
  return error.message.includes('encryption') ? isProtected() : damaged()
}

function isProtected(): TableError {
  return new TableError('The workbook is protected by a password. Save it without one.')
}

function damaged(): TableError {
  return new TableError('The workbook is damaged, or is no XLSX file. Save it again as XLSX or CSV.')
}

function tooLarge(maxBytes: number): TableError {
  const limit = `${Math.floor(maxBytes / (1024 * 1024))} MiB`
  return new TableError(`The workbook unpacks to more than ${limit}. Save it as CSV, or split it.`)
}
