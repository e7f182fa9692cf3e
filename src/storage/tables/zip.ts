/**
 * Reads ZIP archives that users send: the list at their end, and single entries as a stream. A size in the
 * archive that is too large is refused at once. Others are not believed: what comes out is counted, so that a small file
 * cannot become an endless one. Encryption, ZIP64 and archives
 * in several files are refused; no spreadsheet below some gigabytes has them.
 */
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { TableError } from '../../core/values/table.js'

/** What a `FileHandle` has too. */
export interface RandomAccess {
  stat(): Promise<{ readonly size: number }>
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
}

export interface ZipEntry {
  /** At most this many bytes, else a `TableError`. */
  read(maxBytes: number): AsyncGenerator<Uint8Array>
}

const endSignature = 0x06054b50
const endLength = 22
const maxComment = 65_535
const entrySignature = 0x02014b50
const entryLength = 46
const localSignature = 0x04034b50
const localLength = 30
const maxListBytes = 4 * 1024 * 1024

/** The entries by name. */
export async function openZip(file: RandomAccess): Promise<ReadonlyMap<string, ZipEntry>> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - endLength - maxComment), Math.min(size, endLength + maxComment))
  const end = lastEnd(tail)
  const listBytes = tail.readUInt32LE(end + 12)
  const listAt = tail.readUInt32LE(end + 16)
  if (listAt + listBytes > size || listBytes > maxListBytes) throw damaged()
  const list = await readAt(file, listAt, listBytes)
  const entries = new Map<string, ZipEntry>()
  for (let at = 0; at + entryLength <= list.length; ) {
    if (list.readUInt32LE(at) !== entrySignature) throw damaged()
    const isEncrypted = (list.readUInt16LE(at + 8) & 1) === 1
    const method = list.readUInt16LE(at + 10)
    const packed = list.readUInt32LE(at + 20)
    const size = list.readUInt32LE(at + 24)
    const localAt = list.readUInt32LE(at + 42)
    const nameEnd = at + entryLength + list.readUInt16LE(at + 28)
    const name = list.toString('utf8', at + entryLength, nameEnd)
    if (isEncrypted) throw new TableError('The workbook is protected by a password. Save it without one.')
    entries.set(name, { read: (maxBytes) => unpacked(file, { name, method, packed, size, localAt }, maxBytes) })
    at = nameEnd + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32)
  }
  return entries
}

function lastEnd(tail: Buffer): number {
  for (let at = tail.length - endLength; at >= 0; at -= 1) if (tail.readUInt32LE(at) === endSignature) return at
  throw damaged()
}

interface PackedEntry {
  readonly name: string
  readonly method: number
  readonly packed: number
  /** Unpacked, as the archive says. */
  readonly size: number
  readonly localAt: number
}

async function* unpacked(file: RandomAccess, entry: PackedEntry, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (entry.size > maxBytes) throw tooLarge(maxBytes)
  const local = await readAt(file, entry.localAt, localLength)
  if (local.readUInt32LE(0) !== localSignature) throw damaged()
  const from = entry.localAt + localLength + local.readUInt16LE(26) + local.readUInt16LE(28)
  let bytes = 0
  try {
    for await (const chunk of contentOf(entry.method, Readable.from(packedBytes(file, from, entry.packed)))) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    // What zlib cannot read.
    throw error instanceof Error && 'errno' in error ? damaged() : error
  }
}

function contentOf(method: number, packed: Readable): AsyncIterable<Buffer> {
  if (method === 0) return packed
  if (method !== 8) throw damaged()
  const inflate = createInflateRaw({ chunkSize: pieceBytes })
  packed.on('error', (error) => inflate.destroy(error))
  return packed.pipe(inflate)
}

async function* packedBytes(file: RandomAccess, from: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += pieceBytes) {
    yield await readAt(file, from + at, Math.min(pieceBytes, length - at))
  }
}

const pieceBytes = 64 * 1024

async function readAt(file: RandomAccess, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead < length) throw damaged()
  return buffer
}

function damaged(): TableError {
  return new TableError('The workbook is damaged, or is no XLSX file. Save it again as XLSX or CSV.')
}

function tooLarge(maxBytes: number): TableError {
  const limit = `${Math.floor(maxBytes / (1024 * 1024))} MiB`
  return new TableError(`The workbook unpacks to more than ${limit}. Save it as CSV, or split it.`)
}
