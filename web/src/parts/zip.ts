/** Files in one ZIP file, not compressed: they are pictures, and few. */
interface ZipFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function checksumOf(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 255] ?? 0)
  return ~value >>> 0
}

const utf8Names = 0x0800
/** 1 January 1980, where the format begins: the time of the files means nothing. */
const noTime = [0, 0x21]

export function zipOf(files: readonly ZipFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const listed: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const { name, bytes } of files) {
    const shown = new TextEncoder().encode(name)
    const about = [
      ...two(20, utf8Names, 0, ...noTime),
      ...four(checksumOf(bytes), bytes.length, bytes.length),
      ...two(shown.length, 0),
    ]
    const head = Uint8Array.from([...four(0x04034b50), ...about, ...shown])
    listed.push(
      Uint8Array.from([...four(0x02014b50), ...two(20), ...about, ...two(0, 0, 0), ...four(0, offset), ...shown]),
    )
    parts.push(head, bytes)
    offset += head.length + bytes.length
  }
  const length = listed.reduce((sum, entry) => sum + entry.length, 0)
  const end = [...four(0x06054b50), ...two(0, 0, files.length, files.length), ...four(length, offset), ...two(0)]
  return new Blob([...parts, ...listed, Uint8Array.from(end)], { type: 'application/zip' })
}

function two(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, (value >>> 8) & 255])
}

function four(...values: number[]): number[] {
  return values.flatMap((value) => two(value & 0xffff, value >>> 16))
}
