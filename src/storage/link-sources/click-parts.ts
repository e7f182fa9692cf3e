/** Click files that are being counted, in a folder of the data directory, where the running service can read them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import type { ClickParts, PartWriter } from '../../core/imports/import-clicks.js'

/** `source` is `LinkSource.name`. */
export function clickParts(dataDir: string, source: string): ClickParts {
  const folder = join(dataDir, 'imports', createHash('sha256').update(source).digest('hex').slice(0, 16))
  const copyFile = join(folder, 'copy')
  let made = 0
  return {
    folder,
    begun: () => readFile(copyFile, 'utf8').catch(() => undefined),
    begin: (copy) => writeFile(copyFile, copy, { mode: 0o600 }),
    end: () => rm(copyFile, { force: true }),
    async left() {
      const names = await readdir(folder).catch(() => [])
      // What was not written to the end was not counted either.
      for (const name of names) if (name.endsWith('.tmp')) await rm(join(folder, name))
      return names
        .filter((name) => name.endsWith('.ndjson') && !name.endsWith('.rejects.ndjson'))
        .map((name) => join(folder, name))
    },
    async create() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      made += 1
      return partWriter(join(folder, `clicks-${made}.ndjson`))
    },
    lines: (file) => createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }),
    async remove(file) {
      await rm(file, { force: true })
      await rm(`${file}.rejects.ndjson`, { force: true })
    },
  }
}

/** Characters that are written at once. */
const pieceLength = 1 << 20

function partWriter(path: string): PartWriter {
  const temporary = `${path}.tmp`
  const stream: WriteStream = createWriteStream(temporary, { mode: 0o600 })
  // Thrown by the next write.
  stream.on('error', () => {})
  let piece = ''
  const write = async () => {
    if (stream.errored) throw stream.errored
    const written = piece
    piece = ''
    // `once` rejects when the stream fails, for example because the disk is full.
    if (!stream.write(written)) await once(stream, 'drain')
  }
  return {
    add(line) {
      piece += `${line}\n`
      return piece.length >= pieceLength ? write() : undefined
    },
    async finish() {
      if (piece !== '') await write()
      stream.end()
      await finished(stream)
      await rename(temporary, path)
      return path
    },
    async discard() {
      stream.destroy()
      await rm(temporary, { force: true })
    },
  }
}
