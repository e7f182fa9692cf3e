/** Tar files (ustar) without compression: other programs can unpack them, and single files are read without the rest. */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { OperatorError } from '../../lib/operator-error.js'

interface TarEntry {
  readonly name: string
  readonly offset: number
  readonly bytes: number
}

const block = 512

export function isTar(path: string): boolean {
  return path.endsWith('.tar')
}

/** Writes the files in this order. */
export async function writeTar(
  tar: string,
  files: readonly { readonly name: string; readonly path: string }[],
): Promise<void> {
  const out = createWriteStream(tar, { mode: 0o600, flags: 'wx', flush: true })
  const closed = finished(out)
  const write = async (bytes: Buffer) => {
    if (!out.write(bytes)) await Promise.race([once(out, 'drain'), closed])
  }
  try {
    for (const { name, path } of files) {
      const { size, mtimeMs } = await stat(path)
      await write(headerOf(name, size, mtimeMs))
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) await write(chunk as Buffer)
      await write(Buffer.alloc(paddingOf(size)))
    }
    out.end(Buffer.alloc(2 * block))
  } catch (error) {
    out.destroy()
    await closed.catch(() => undefined)
    throw error
  }
  await closed
}

function headerOf(name: string, size: number, modified: number): Buffer {
  const header = Buffer.alloc(block)
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a tar file`)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  writeSize(header, size)
  header.write(`${octal(Math.floor(modified / 1000), 11)}\0`, 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(`${octal(sumOf(header), 6)}\0 `, 148)
  return header
}

/** Eight GiB and more do not fit in eleven octal digits: then the number is binary, and its first bit is set. */
function writeSize(header: Buffer, size: number): void {
  if (size < 8 ** 11) return void header.write(`${octal(size, 11)}\0`, 124)
  header[124] = 0x80
  header.writeBigUInt64BE(BigInt(size), 128)
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0')
}

function sumOf(header: Buffer): number {
  let sum = 0
  for (const byte of header) sum += byte
  return sum
}

function paddingOf(size: number): number {
  return (block - (size % block)) % block
}

/** The text of its first file, and the content of each. `upTo`: nothing after the file of this name is read. */
export async function openTar(tar: string, upTo?: string) {
  const entries = new Map((await entriesOf(tar, upTo))?.map((entry) => [entry.name, entry]))
  const [first] = entries.values()
  if (!first) {
    throw new OperatorError(
      `${tar} is not a whole backup or archive of shortlink: it was cut off or changed. Copy it again.`,
    )
  }
  // `end` is inclusive, so an empty file needs another way.
  const contentOf = ({ offset, bytes }: TarEntry) =>
    bytes === 0 ? Readable.from([]) : createReadStream(tar, { start: offset, end: offset + bytes - 1 })
  return {
    first: await text(contentOf(first)),
    contentOf({ path }: { readonly path: string }) {
      const entry = entries.get(path)
      return entry && contentOf(entry)
    },
  }
}

/** The entries, up to the end or to the first one with this name. Undefined: it is not a whole tar file. */
async function entriesOf(tar: string, upTo: string | undefined): Promise<readonly TarEntry[] | undefined> {
  const file = await open(tar, 'r')
  try {
    const { size: end } = await file.stat()
    const entries: TarEntry[] = []
    const header = Buffer.alloc(block)
    for (let at = 0; at + block <= end; ) {
      await file.read(header, 0, block, at)
      if (header.every((byte) => byte === 0)) return entries
      const bytes = sizeIn(header)
      if (bytes === undefined || at + block + bytes > end) return undefined
      const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '')
      entries.push({ name, offset: at + block, bytes })
      if (name === upTo) return entries
      at += block + bytes + paddingOf(bytes)
    }
    return undefined
  } finally {
    await file.close()
  }
}

/** Undefined when the checksum of the header is wrong. */
function sizeIn(header: Buffer): number | undefined {
  const stored = Number.parseInt(header.toString('latin1', 148, 156), 8)
  const blank = Buffer.from(header)
  blank.fill(' ', 148, 156)
  if (sumOf(blank) !== stored) return undefined
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128))
  return Number.parseInt(header.toString('latin1', 124, 136), 8)
}
