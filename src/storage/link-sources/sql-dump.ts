/**
 * Reads the rows of some tables from an SQL dump: `INSERT INTO` of MySQL, MariaDB, phpMyAdmin and pg_dump, and `COPY` of
 * pg_dump. Reads the file once, row by row, with bounded memory, and runs nothing. Knows no products.
 */
import { createReadStream } from 'node:fs'
import { OperatorError } from '../../lib/operator-error.js'

export interface DumpRow {
  /** Without schema and quotes. */
  readonly table: string
  readonly line: number
  /** The value of a column; undefined for NULL and for columns that the table does not have. */
  get(column: string): string | undefined
}

export interface DumpOptions {
  /** Rows of other tables are skipped. */
  readonly wanted: (table: string) => boolean
  readonly onBytes?: (bytes: number) => void
}

/** Longer than any row of the products that are read. */
const maxRowLength = 16 * 1024 * 1024

export async function* dumpRows(path: string, { wanted, onBytes }: DumpOptions): AsyncGenerator<DumpRow> {
  const text = new DumpText(path, onBytes)
  const columnsOf = new Map<string, readonly string[]>()
  try {
    for (let line = await text.line(); line !== undefined; line = await text.line()) {
      const create = /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)\s*\(/i.exec(line)
      if (create) {
        columnsOf.set(nameOf(create[1] ?? ''), await createdColumns(text))
        continue
      }
      const copy = /^COPY (\S+) \(([^)]*)\) FROM stdin;/i.exec(line)
      if (copy) {
        const [, name = '', columns = ''] = copy
        yield* copyRows(text, nameOf(name), namesIn(columns), wanted)
        continue
      }
      const insert = insertShape.exec(line)
      if (!insert) continue
      // The rows begin in this line, which may be as long as a gigabyte.
      text.backTo(insert[0].length)
      const [, name = '', columns] = insert
      const table = nameOf(name)
      yield* insertRows(text, table, columns === undefined ? columnsOf.get(table) : namesIn(columns), wanted)
    }
  } finally {
    text.close()
  }
}

const insertShape =
  /^(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s+(\S+?)\s*(?:\(([^)]*)\))?\s*(?:OVERRIDING \w+ VALUE )?VALUES?\b/i

function nameOf(written: string): string {
  return (written.split('.').at(-1) ?? '').replace(/[`"[\]]/g, '')
}

function namesIn(list: string): readonly string[] {
  return list.split(',').map((name) => nameOf(name.trim()))
}

/** The column definitions of a CREATE TABLE, one per line, as all these programs write them. */
async function createdColumns(text: DumpText): Promise<readonly string[]> {
  const columns: string[] = []
  for (let line = await text.line(); line !== undefined && !/^\s*\)/.test(line); line = await text.line()) {
    const [, quoted, plain] = /^\s*(?:[`"]([^`"]+)[`"]|([A-Za-z_]\w*))\s/.exec(line) ?? []
    if (quoted !== undefined) columns.push(quoted)
    else if (plain !== undefined && !/^(?:PRIMARY|UNIQUE|KEY|INDEX|FULLTEXT|CONSTRAINT|CHECK|FOREIGN)$/i.test(plain)) {
      columns.push(plain)
    }
  }
  return columns
}

/** Tab-separated lines up to `\.`. */
async function* copyRows(
  text: DumpText,
  table: string,
  columns: readonly string[],
  wanted: DumpOptions['wanted'],
): AsyncGenerator<DumpRow> {
  const isWanted = wanted(table)
  for (let line = await text.line(); line !== undefined && line !== '\\.'; line = await text.line()) {
    if (isWanted) yield rowOf(table, text.lines, columns, line.split('\t').map(copyValue))
  }
}

function copyValue(written: string): string | undefined {
  if (written === '\\N') return undefined
  return written.includes('\\') ? written.replace(/\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)/gs, copyEscape) : written
}

function copyEscape(_: string, escaped: string): string {
  if (/^x./.test(escaped)) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8))
  return escapes[escaped] ?? escaped
}

/** MySQL has `\0` and `\Z` in addition, which no URL contains. */
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' }

async function* insertRows(
  text: DumpText,
  table: string,
  columns: readonly string[] | undefined,
  wanted: DumpOptions['wanted'],
): AsyncGenerator<DumpRow> {
  const isWanted = wanted(table)
  if (isWanted && columns === undefined) {
    throw new OperatorError(
      `The dump does not name the columns of ${table}: it has no CREATE TABLE. Export structure and data together.`,
    )
  }
  for (;;) {
    const values = await text.tuple(isWanted)
    if (values === undefined) return
    if (isWanted && columns) yield rowOf(table, text.lines, columns, values)
  }
}

function rowOf(
  table: string,
  line: number,
  columns: readonly string[],
  values: readonly (string | undefined)[],
): DumpRow {
  return { table, line, get: (column) => values[columns.indexOf(column)] }
}

type Values = (string | undefined)[]

/** The text of a dump. Holds the current row and one piece of the file. */
class DumpText {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #stream: ReturnType<typeof createReadStream>
  readonly #decoder = new TextDecoder()
  readonly #onBytes: (bytes: number) => void
  #text = ''
  #at = 0
  /** Where the last line began. */
  #lineBegan = 0
  #bytes = 0
  /** PostgreSQL has no escapes in strings, unless they begin with E. */
  #isPostgres = false
  /** The number of the current line. */
  lines = 0

  constructor(path: string, onBytes: (bytes: number) => void = () => {}) {
    this.#stream = createReadStream(path, { highWaterMark: 256 * 1024 })
    this.#pieces = this.#stream[Symbol.asyncIterator]()
    this.#onBytes = onBytes
  }

  close(): void {
    this.#stream.destroy()
  }

  /**
   * The next line without its line feed; undefined at the end. Of a line with an INSERT only the beginning, up to its
   * rows, because it may be longer than the memory.
   */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at)
      if (end >= 0) {
        const line = this.#text.slice(this.#at, end).replace(/\r$/, '')
        this.#lineBegan = this.#at
        this.#at = end + 1
        this.lines += 1
        if (this.lines < 50 && line.includes('PostgreSQL database dump')) this.#isPostgres = true
        return line
      }
      const begun = this.#text.length - this.#at
      const insert = begun > 1000 && insertShape.test(this.#text.slice(this.#at, this.#at + 4000))
      if (begun > maxRowLength) throw tooLong(this.lines + 1)
      if (insert || !(await this.#more())) {
        if (this.#at >= this.#text.length) return undefined
        const rest = this.#text.slice(this.#at)
        this.#lineBegan = this.#at
        this.#at = this.#text.length
        this.lines += 1
        return rest
      }
    }
  }

  /** Reads on behind the first characters of the last line. */
  backTo(length: number): void {
    this.#at = this.#lineBegan + length
    this.lines -= 1
  }

  /** The next `(…)` of an INSERT; undefined at its end. Without its values if they are not wanted, which is faster. */
  async tuple(isWanted: boolean): Promise<Values | undefined> {
    for (;;) {
      const found = this.#parse(isWanted)
      if (found !== 'more') return found
      if (this.#text.length - this.#at > maxRowLength) throw tooLong(this.lines + 1)
      if (!(await this.#more())) throw new OperatorError('The dump ends in the middle of a row: it is incomplete.')
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#pieces.next()
    if (done) return false
    this.#bytes += value.length
    this.#onBytes(this.#bytes)
    this.#text = this.#text.slice(this.#at) + this.#decoder.decode(value, { stream: true })
    this.#at = 0
    return true
  }

  /** Moves behind the row only if it is complete. */
  #parse(isWanted: boolean): Values | undefined | 'more' {
    const text = this.#text
    let at = this.#at
    let lines = 0
    for (; ; at++) {
      const code = text.charCodeAt(at)
      if (Number.isNaN(code)) return 'more'
      if (code === lineFeed) lines++
      else if (code === semicolon) {
        this.#move(at + 1, lines)
        return undefined
      } else if (code === parenthesis) break
      // Anything but a comma or a space, such as ON DUPLICATE KEY, ends the rows.
      else if (code !== comma && code > 32) {
        this.#move(at, lines)
        return undefined
      }
    }
    const values: Values = []
    for (at++; ; ) {
      while (text.charCodeAt(at) <= 32) if (text.charCodeAt(at++) === lineFeed) lines++
      const value = valueAt(text, at, this.#isPostgres)
      if (value === 'more') return 'more'
      if (isWanted) values.push(value.text())
      lines += value.lines
      at = value.end
      while (text.charCodeAt(at) <= 32) at++
      const next = text[at]
      if (next === undefined) return 'more'
      at++
      if (next === ')') break
    }
    this.#move(at, lines)
    return values
  }

  #move(at: number, lines: number): void {
    this.#at = at
    this.lines += lines
  }
}

const [lineFeed, semicolon, parenthesis, comma, apostrophe] = [0x0a, 0x3b, 0x28, 0x2c, 0x27]

function tooLong(line: number): OperatorError {
  return new OperatorError(`Line ${line} of the dump has a row that is longer than ${maxRowLength} characters.`)
}

interface Value {
  readonly text: () => string | undefined
  readonly end: number
  /** Line feeds inside. */
  readonly lines: number
}

function valueAt(text: string, at: number, isPostgres: boolean): Value | 'more' {
  if (text.charCodeAt(at) === apostrophe) return stringAt(text, at, !isPostgres)
  // E'…' of PostgreSQL, _binary '…' and N'…' of MySQL.
  const [prefix] = /^(?:E|N|_[a-z0-9]+\s*)(?=')/i.exec(text.slice(at, at + 20)) ?? []
  if (prefix !== undefined) return stringAt(text, at + prefix.length, !isPostgres || /^e$/i.test(prefix))
  let end = at
  while (end < text.length && text[end] !== ',' && text[end] !== ')') end++
  if (end === text.length) return 'more'
  const read = () => {
    const written = text.slice(at, end).trim()
    return /^null$/i.test(written) ? undefined : written
  }
  return { text: read, end, lines: 0 }
}

function stringAt(text: string, quote: number, hasEscapes: boolean): Value | 'more' {
  let plain = true
  for (let end = quote + 1; ; end++) {
    const next = hasEscapes ? nextOf(text, end) : text.indexOf("'", end)
    if (next < 0) return 'more'
    end = next
    if (text[end] === '\\') {
      plain = false
      end++
      continue
    }
    // A quote at the end of the piece may be the first of two.
    if (end + 1 >= text.length) return 'more'
    if (text[end + 1] === "'") {
      plain = false
      end++
      continue
    }
    const written = text.slice(quote + 1, end)
    const isPlain = plain
    return {
      text: () => (isPlain ? written : unescaped(written, hasEscapes)),
      end: end + 1,
      lines: written.includes('\n') ? written.split('\n').length - 1 : 0,
    }
  }
}

/** The next quote or backslash. */
function nextOf(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === apostrophe || code === 0x5c) return at
  }
  return -1
}

function unescaped(written: string, hasEscapes: boolean): string {
  if (!hasEscapes) return written.replaceAll("''", "'")
  return written.replace(/\\(.)|''/gs, (_, escaped?: string) =>
    escaped === undefined ? "'" : (escapes[escaped] ?? escaped),
  )
}
