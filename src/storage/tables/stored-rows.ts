/** Rows of a table in a file of our own, as lines of JSON, where another thread has put them. */
import { appendFileSync, createReadStream } from 'node:fs'
import { TableError } from '../../core/values/table.js'
import type { RawRow } from './table-from-rows.js'

/** Cells may share a text, so rows can be many times as large as their workbook. */
const maxBytes = 512 * 1024 ** 2
const pieceLength = 64 * 1024

/** For a thread that does nothing else: waits for the disk. */
export async function writeRows(descriptor: number, rows: AsyncIterable<RawRow>): Promise<void> {
  let lines = ''
  let bytes = 0
  const write = () => {
    const piece = Buffer.from(lines)
    lines = ''
    bytes += piece.length
    if (bytes > maxBytes) throw new TableError('The rows of the workbook have more than 512 MiB of text. Split it.')
    appendFileSync(descriptor, piece)
  }
  try {
    for await (const { line, values } of rows) {
      lines += `${JSON.stringify([line, ...values])}\n`
      if (lines.length > pieceLength) write()
    }
  } finally {
    // The rows before an error are shown with it.
    write()
  }
}

/** From the beginning of the file. */
export async function* readRows(descriptor: number): AsyncGenerator<RawRow> {
  const input = createReadStream('', { fd: descriptor, start: 0, autoClose: false, encoding: 'utf8' })
  let rest = ''
  for await (const text of input) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      const [line, ...values]: [number, ...string[]] = JSON.parse(each)
      yield { line, values }
    }
  }
}
