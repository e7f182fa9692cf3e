/**
 * Finds out how the text of a file is encoded, by reading all of its bytes once. UTF-8 and UTF-16 are recognised; bytes that are
 * no UTF-8 anywhere are Windows-1252, which contains Latin-1. A mixture is refused: reading it as either would change names.
 */
import { isAscii } from 'node:buffer'
import { TableError } from '../../core/values/table.js'

export interface TextEncoding {
  /** For `TextDecoder`. */
  readonly label: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  /** For people. */
  readonly name: string
}

const utf8: TextEncoding = { label: 'utf-8', name: 'UTF-8' }
const utf16le: TextEncoding = { label: 'utf-16le', name: 'UTF-16' }
const utf16be: TextEncoding = { label: 'utf-16be', name: 'UTF-16' }
const windows1252: TextEncoding = { label: 'windows-1252', name: 'Windows-1252' }

export async function encodingOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<TextEncoding> {
  const scan = new Utf8Scan()
  let start = Buffer.alloc(0)
  for await (const chunk of chunks) {
    scan.add(chunk)
    if (start.length >= sampleSize) continue
    start = Buffer.concat([start, chunk])
    const known = start.length >= sampleSize && encodingByStart(start)
    if (known) return known
  }
  return encodingByStart(start) ?? scan.result()
}

/** By byte order mark, or by the zero bytes of UTF-16 without one. Throws for files that are no text. */
function encodingByStart(start: Uint8Array): TextEncoding | undefined {
  const other = otherFormats.find(({ bytes }) => bytes.every((byte, at) => start[at] === byte))
  if (other) throw new TableError(other.advice)
  const [first, second] = start
  if (first === 0xff && second === 0xfe) return utf16le
  if (first === 0xfe && second === 0xff) return utf16be
  return utf16ByZeros(start.subarray(0, sampleSize))
}

const saveAs = 'Save it as CSV (UTF-8) or as XLSX and send that file.'
const otherFormats = [
  { bytes: [0xff, 0xfe, 0x00, 0x00], advice: 'The file is UTF-32 text. Save it as UTF-8.' },
  { bytes: [0x00, 0x00, 0xfe, 0xff], advice: 'The file is UTF-32 text. Save it as UTF-8.' },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], advice: `The file is an old Excel workbook (.xls). ${saveAs}` },
  { bytes: [0x1f, 0x8b], advice: 'The file is compressed with gzip. Unpack it first.' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], advice: `The file is a ZIP archive or a workbook, not CSV. ${saveAs}` },
  { bytes: [0x25, 0x50, 0x44, 0x46], advice: `The file is a PDF. ${saveAs}` },
]

const sampleSize = 4096

/** In UTF-16, every second byte of English text is zero; the header of a table is nearly always such text. */
function utf16ByZeros(sample: Uint8Array): TextEncoding | undefined {
  const zeros = [0, 0]
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const enough = sample.length / 4
  if (odd > enough && even < odd / 8) return utf16le
  if (even > enough && odd < even / 8) return utf16be
  return undefined
}

/** Counts characters of several bytes that are UTF-8, and remembers the first byte that is not. */
class Utf8Scan {
  #line = 1
  #valid = 0
  #brokenLine: number | undefined
  /** Bytes of the current character that are still missing, and the range of the next one. */
  #missing = 0
  #low = 0x80
  #high = 0xbf

  add(chunk: Uint8Array): void {
    if (this.#missing === 0 && isAscii(chunk)) {
      if (this.#brokenLine === undefined) this.#line += countLineFeeds(chunk)
      return
    }
    for (const byte of chunk) this.#next(byte)
  }

  result(): TextEncoding {
    if (this.#missing > 0) this.#broken()
    if (this.#brokenLine === undefined) return utf8
    if (this.#valid === 0) return windows1252
    throw new TableError(
      'The text is UTF-8 before or after this line, but not here: the file mixes encodings. Save it as UTF-8.',
      this.#brokenLine,
    )
  }

  #next(byte: number): void {
    if (this.#missing > 0) {
      if (byte >= this.#low && byte <= this.#high) {
        this.#low = 0x80
        this.#high = 0xbf
        this.#missing -= 1
        if (this.#missing === 0) this.#valid += 1
        return
      }
      this.#broken()
    }
    if (byte < 0x80) {
      if (byte === 0x0a && this.#brokenLine === undefined) this.#line += 1
    } else if (byte >= 0xc2 && byte <= 0xf4) this.#begin(byte)
    else this.#broken()
  }

  /** The second byte has a smaller range after some first bytes: no overlong forms, surrogates, or beyond Unicode. */
  #begin(byte: number): void {
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
  }

  #broken(): void {
    this.#brokenLine ??= this.#line
    this.#missing = 0
    this.#low = 0x80
    this.#high = 0xbf
  }
}

function countLineFeeds(chunk: Uint8Array): number {
  let count = 0
  for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) count += 1
  return count
}
