/** Tables that users send: rows below a header. What reads the files is in storage/tables. */
import { Refusal } from './refusal.js'

/** Rows are read once, while they are iterated over; a `TableError` may be thrown at any row. */
export interface Table extends AsyncIterable<TableRow> {
  /** As written in the header. */
  readonly columns: readonly string[]
  /** Whether there is a column of this name (see `columnKey`). */
  has(column: string): boolean
  /** What was found out about the file, such as `CSV, UTF-8, separated by commas`. */
  readonly format: string
  /** For a table whose rows are not read to the end. */
  close(): Promise<void>
}

export interface TableRow {
  /** The line of the file where the row begins, or the row of the sheet. */
  readonly line: number
  /** One value for each column, in the order of the file. */
  readonly values: readonly string[]
  /** What is wrong with this row alone, for its author; its values cannot be trusted. */
  readonly problem: string | undefined
  /**
   * The value below a header, without surrounding spaces and without the apostrophe that keeps spreadsheets from running a
   * formula; empty if there is no such column. See `columnKey`.
   */
  get(column: string): string
}

/** A file that cannot be read as a table, or not beyond a line. The message says where, and what to do. */
export class TableError extends Refusal {
  constructor(
    message: string,
    readonly line?: number,
  ) {
    super('UNPROCESSABLE_ENTITY', line === undefined ? message : `Line ${line}: ${message}`)
  }
}

/** Headers are compared in this form: `Long URL` and `long-url` are both `long_url`. */
export function columnKey(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}
