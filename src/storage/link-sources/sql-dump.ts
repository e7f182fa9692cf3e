/**
 * Reads the rows of some tables from an SQL dump: `INSERT INTO` of MySQL, MariaDB, phpMyAdmin and pg_dump, and `COPY` of
 * pg_dump. Reads the file once, row by row, with bounded memory, and runs nothing. Knows no products.
 */
import { createReadStream } from 'node:fs'
import { OperatorError } from '../../lib/operator-error.js'

interface DumpRow {
  /** Without schema and quotes. */
  readonly table: string
  readonly line: number
  /** The value of a column; undefined for NULL and for columns that the table does not have. */
  get(column: string): string | undefined
}

export type DumpPages = AsyncGenerator<readonly DumpRow[]>

export interface DumpOptions {
  /** Rows of other tables are skipped. */
  readonly wanted: (table: string) => boolean
  /** Told each table that the dump creates, with rows or without. */
  readonly onTable?: (table: string) => void
  readonly onBytes?: (bytes: number) => void
}

/** Longer than any row of the products that are read. */
const maxRowLength = 16 * 1024 * 1024

/** In pages: a turn of the event loop for each row took as long as reading it. */
export async function* dumpRows(path: string, { wanted, onTable, onBytes }: DumpOptions): DumpPages {
  const text = new DumpText(path, onBytes)
  const columnsOf = new Map<string, readonly string[]>()
  try {
    for (let line = await text.line(); line !== undefined; line = await text.line()) {
      const create = /^CREATE TABLE (?:IF NOT EXISTS )?(\S+)\s*\(/i.exec(line)
      if (create) {
        const table = nameOf(create[1] ?? '')
        onTable?.(table)
        columnsOf.set(table, await createdColumns(text))
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
): DumpPages {
  const isWanted = wanted(table)
  let page: DumpRow[] = []
  for (let line = await text.line(); line !== undefined && line !== '\\.'; line = await text.line()) {
    if (!isWanted) continue
    page.push(rowOf(table, text.lines, columns, line.split('\t').map(copyValue)))
    if (page.length < pageRows) continue
    yield page
    page = []
  }
  yield page
}

const pageRows = 500

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
): DumpPages {
  const isWanted = wanted(table)
  if (isWanted && columns === undefined) {
    throw new OperatorError(
      `The dump does not name the columns of ${table}: it has no CREATE TABLE. Export structure and data together.`,
    )
  }
  for (let isEnd = false; !isEnd; ) {
    const page: DumpRow[] = []
    isEnd = await text.tuples(isWanted, (values) => {
      if (columns) page.push(rowOf(table, text.lines, columns, values))
      return page.length < pageRows
    })
    yield page
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
  /** Where the last value ended, and the line feeds in it. */
  #valueEnd = 0
  #valueLines = 0
  /** Of `#text`, at or behind a former position. */
  #backslash = -1
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

  /**
   * Passes on the next `(…)` of an INSERT until there are enough for now (false) or no more (true). Those that are not wanted
   * are skipped, which is faster.
   */
  async tuples(isWanted: boolean, take: (values: Values) => boolean): Promise<boolean> {
    for (;;) {
      const found = this.#parse(isWanted)
      if (found === undefined) return true
      if (found === incomplete) {
        if (this.#text.length - this.#at > maxRowLength) throw tooLong(this.lines + 1)
        if (!(await this.#more())) throw new OperatorError('The dump ends in the middle of a row: it is incomplete.')
      } else if (isWanted && !take(found)) return false
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#pieces.next()
    if (done) return false
    this.#bytes += value.length
    this.#onBytes(this.#bytes)
    this.#text = this.#text.slice(this.#at) + this.#decoder.decode(value, { stream: true })
    this.#at = 0
    this.#backslash = -1
    return true
  }

  /** Moves behind the row only if it is complete. */
  #parse(isWanted: boolean): Values | undefined | typeof incomplete {
    const text = this.#text
    let at = this.#at
    let lines = 0
    for (; ; at++) {
      const code = text.charCodeAt(at)
      if (Number.isNaN(code)) return incomplete
      if (code === lineFeed) lines++
      else if (code === semicolon) {
        this.#move(at + 1, lines)
        return undefined
      } else if (code === opening) break
      // Anything but a comma or a space, such as ON DUPLICATE KEY, ends the rows.
      else if (code !== comma && code > space) {
        this.#move(at, lines)
        return undefined
      }
    }
    const values: Values = []
    for (at++; ; ) {
      while (text.charCodeAt(at) <= space) if (text.charCodeAt(at++) === lineFeed) lines++
      const value = this.#valueAt(at, isWanted)
      if (value === incomplete) return incomplete
      if (isWanted) values.push(value)
      lines += this.#valueLines
      at = this.#valueEnd
      while (text.charCodeAt(at) <= space) at++
      const next = text.charCodeAt(at++)
      if (Number.isNaN(next)) return incomplete
      if (next === closing) break
    }
    this.#move(at, lines)
    return values
  }

  #move(at: number, lines: number): void {
    this.#at = at
    this.lines += lines
  }

  /** Undefined for NULL, and if it is not wanted. Says by fields where the value ends: an object for each took longer. */
  #valueAt(at: number, isWanted: boolean): string | undefined | typeof incomplete {
    const text = this.#text
    const first = text.charCodeAt(at)
    if (first === apostrophe) return this.#stringAt(at, !this.#isPostgres, isWanted)
    if (first > digitNine) {
      // E'…' of PostgreSQL, _binary '…' and N'…' of MySQL.
      const [prefix] = /^(?:E|N|_[a-z0-9]+\s*)(?=')/i.exec(text.slice(at, at + 20)) ?? []
      const hasEscapes = !this.#isPostgres || /^e$/i.test(prefix ?? '')
      if (prefix !== undefined) return this.#stringAt(at + prefix.length, hasEscapes, isWanted)
    }
    let end = at
    for (let code = first; code !== comma && code !== closing; code = text.charCodeAt(++end)) {
      if (Number.isNaN(code)) return incomplete
    }
    this.#valueEnd = end
    this.#valueLines = 0
    if (!isWanted) return undefined
    const written = text.slice(at, end).trim()
    return written.length === 4 && /^null$/i.test(written) ? undefined : written
  }

  #stringAt(quote: number, hasEscapes: boolean, isWanted: boolean): string | undefined | typeof incomplete {
    const text = this.#text
    let isPlain = true
    for (let from = quote + 1; ; ) {
      const end = text.indexOf("'", from)
      const backslash = hasEscapes ? this.#nextBackslash(from) : -1
      if (backslash >= 0 && (end < 0 || backslash < end)) {
        isPlain = false
        from = backslash + 2
        continue
      }
      // A quote at the end of the piece may be the first of two.
      if (end < 0 || end + 1 >= text.length) return incomplete
      if (text.charCodeAt(end + 1) === apostrophe) {
        isPlain = false
        from = end + 2
        continue
      }
      const written = text.slice(quote + 1, end)
      this.#valueEnd = end + 1
      this.#valueLines = written.includes('\n') ? written.split('\n').length - 1 : 0
      if (!isWanted) return undefined
      return isPlain ? written : unescaped(written, hasEscapes)
    }
  }

  /** At `from` or later; -1 if there is none. Remembered, because most strings have none. */
  #nextBackslash(from: number): number {
    if (this.#backslash < from) {
      const found = this.#text.indexOf('\\', from)
      this.#backslash = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return this.#backslash === Number.POSITIVE_INFINITY ? -1 : this.#backslash
  }
}

/** The rest of a row is in the next piece of the file. */
const incomplete = Symbol('incomplete')

const lineFeed = 0x0a
const space = 0x20
const apostrophe = 0x27
const opening = 0x28
const closing = 0x29
const comma = 0x2c
const digitNine = 0x39
const semicolon = 0x3b

function tooLong(line: number): OperatorError {
  return new OperatorError(`Line ${line} of the dump has a row that is longer than ${maxRowLength} characters.`)
}

function unescaped(written: string, hasEscapes: boolean): string {
  if (!hasEscapes) return written.replaceAll("''", "'")
  return written.replace(/\\(.)|''/gs, (_, escaped?: string) =>
    escaped === undefined ? "'" : (escapes[escaped] ?? escaped),
  )
}
