/**
 * Splits CSV text into rows, piece by piece. Accepts what spreadsheets accept: any mixture of line ends, line feeds in quoted
 * cells, and quotes inside of cells that do not begin with one. Memory holds one row, whose length is bounded.
 */
import { TableError } from '../../core/values/table.js'
import type { RawRow } from './table-from-rows.js'

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

export class CsvRows {
  readonly #separator: number
  readonly #maxLength: number
  #values: string[] = []
  /** The part of the current cell from earlier pieces, and before its last quote. */
  #cell = ''
  /** Characters of the current row in earlier pieces. */
  #length = 0
  #state: 'begin' | 'plain' | 'quoted' | 'quote-in-quoted' = 'begin'
  #line: number
  #rowLine: number
  #quoteLine = 0
  #afterReturn = false

  /** `maxLength`: characters of a row. `line`: of the first row. */
  constructor(separator: string, maxLength: number, line: number) {
    this.#separator = separator.charCodeAt(0)
    this.#maxLength = maxLength
    this.#line = line
    this.#rowLine = line
  }

  /** The rows that end in this piece of text; lines without any text are skipped. */
  *add(text: string): Generator<RawRow> {
    let rowStart = 0
    let from = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const isSecondOfPair = this.#afterReturn && code === lineFeed
      this.#afterReturn = code === carriageReturn
      if (this.#state === 'quoted') {
        if (code === quote) {
          this.#cell += text.slice(from, at)
          from = at + 1
          this.#state = 'quote-in-quoted'
        } else if (code === carriageReturn || (code === lineFeed && !isSecondOfPair)) this.#line += 1
        continue
      }
      if (isSecondOfPair) {
        from = at + 1
        rowStart = at + 1
        continue
      }
      if (code === quote) {
        if (this.#state === 'begin') {
          this.#state = 'quoted'
          this.#quoteLine = this.#line
          from = at + 1
        } else if (this.#state === 'quote-in-quoted') {
          // Two quotes in a quoted cell are one; `from` keeps the second.
          this.#state = 'quoted'
          from = at
        }
      } else if (code === this.#separator) {
        this.#endCell(text.slice(from, at))
        from = at + 1
      } else if (code === lineFeed || code === carriageReturn) {
        this.#requireLength(at - rowStart)
        this.#endCell(text.slice(from, at))
        from = at + 1
        rowStart = at + 1
        this.#line += 1
        yield* this.#endRow()
      } else if (this.#state !== 'plain') this.#state = 'plain'
    }
    this.#cell += text.slice(from)
    this.#length += text.length - rowStart
    this.#requireLength(0)
  }

  /** The last row, if the text does not end with a line end. */
  *end(): Generator<RawRow> {
    if (this.#state === 'quoted') {
      throw new TableError(
        'A quote begins here and never ends. Close it, or write it twice if it is text.',
        this.#quoteLine,
      )
    }
    if (this.#values.length === 0 && this.#cell === '') return
    this.#endCell('')
    yield* this.#endRow()
  }

  #endCell(rest: string): void {
    this.#values.push(this.#cell + rest)
    this.#cell = ''
    this.#state = 'begin'
  }

  *#endRow(): Generator<RawRow> {
    const values = this.#values
    const line = this.#rowLine
    this.#values = []
    this.#length = 0
    this.#rowLine = this.#line
    if (values.length > 1 || values[0] !== '') yield { line, values }
  }

  #requireLength(further: number): void {
    if (this.#length + further <= this.#maxLength) return
    const hint = this.#state === 'quoted' ? ` A quote that begins in line ${this.#quoteLine} may not be closed.` : ''
    const limit = `${Math.floor(this.#maxLength / 1024)} KiB`
    throw new TableError(`This row is longer than ${limit}, which no row may be. Shorten it.${hint}`, this.#rowLine)
  }
}
