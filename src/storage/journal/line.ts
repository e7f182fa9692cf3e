/**
 * A row as a line of a file: `<checksum> <journal>-<row> <what happened>`. So a line says by itself which row of which
 * journal it is, and whether it is whole: what damage leaves over keeps its number, and no row is counted twice when the
 * file with the journal's id is lost. What happened is for row.ts to know.
 */
import { crc32 } from 'node:zlib'

export interface NumberedRow {
  readonly journalId: string
  readonly row: number
  readonly text: string
}

const newline = 0x0a
const blank = 0x20
/** Eight digits and a blank. */
const checksumBytes = 9

/** Rows of a busy service have some ten kilobytes. A longer one gets a buffer of its own, so that none has to stay large. */
const usualBytes = 256 * 1024
const usual = Buffer.allocUnsafeSlow(usualBytes)

/** The line with its end; good until the next one is made. */
export function encodeLine(journalId: string, row: number, text: string): Buffer {
  const body = `${journalId}-${row} ${text}`
  // At most three bytes a character, so what is written into the usual buffer is never cut short.
  const most = checksumBytes + body.length * 3 + 1
  const line = most <= usualBytes ? usual : Buffer.allocUnsafe(most)
  const end = checksumBytes + line.write(body, checksumBytes, 'utf8')
  writeChecksum(line, crc32(line.subarray(checksumBytes, end)))
  line[end] = newline
  return line.subarray(0, end + 1)
}

/** Undefined when the line, given without its end, is damaged. */
export function decodeLine(line: Buffer): NumberedRow | undefined {
  if (line.length <= checksumBytes || line[checksumBytes - 1] !== blank) return undefined
  const sum = crc32(line.subarray(checksumBytes))
  for (let digit = 0; digit < checksumBytes - 1; digit++) if (line[digit] !== digitOf(sum, digit)) return undefined
  const body = line.toString('utf8', checksumBytes)
  const dash = body.indexOf('-')
  const end = body.indexOf(' ', dash)
  const row = Number(body.slice(dash + 1, end))
  if (dash < 1 || end < 0 || !Number.isSafeInteger(row)) return undefined
  return { journalId: body.slice(0, dash), row, text: body.slice(end + 1) }
}

function writeChecksum(line: Buffer, sum: number): void {
  for (let digit = 0; digit < checksumBytes - 1; digit++) line[digit] = digitOf(sum, digit)
  line[checksumBytes - 1] = blank
}

/** The hexadecimal digits of the sum, from the left, as characters. */
function digitOf(sum: number, digit: number): number {
  const value = (sum >>> (28 - 4 * digit)) & 15
  return value < 10 ? 0x30 + value : 0x57 + value
}
