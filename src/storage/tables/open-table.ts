/**
 * Reads tables from files that users send, as a stream of rows with bounded memory: CSV in any usual spelling, and the first
 * sheet of XLSX workbooks. Files are hostile until read: whatever is wrong with them is a `TableError`, or a problem of one
 * row. Knows nothing of links.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Table } from '../../core/values/table.js'
import { csvTable, type ReadBytes } from './csv-table.js'
import { defaultLimits, type RawRow, type TableLimits, tableFromRows } from './table-from-rows.js'
import { temporaryFile } from './temporary-file.js'
import { xlsxRows } from './xlsx-table.js'

const xlsxFormat = 'XLSX, first sheet'

export async function openTable(path: string, limits: TableLimits = defaultLimits): Promise<Table> {
  const file = await open(path)
  const start = Buffer.alloc(zipStart.length)
  await file.read(start, 0, start.length, 0)
  if (start.equals(zipStart)) return tableFromRows(rowsIn(file, limits), xlsxFormat, limits)
  await file.close()
  return csvTable(() => createReadStream(path), limits)
}

async function* rowsIn(file: FileHandle, limits: TableLimits): AsyncGenerator<RawRow> {
  try {
    yield* xlsxRows(file.fd, limits)
  } finally {
    await file.close()
  }
}

/** Reads the rows of a workbook, and closes it. */
export type ReadWorkbook = (open: () => Promise<FileHandle>) => AsyncGenerator<RawRow>

/** Of bytes that are no file. A workbook is copied to a temporary file, because its parts are read in another order. */
export async function tableOf(bytes: ReadBytes, readWorkbook: ReadWorkbook): Promise<Table> {
  for await (const start of bytes()) {
    if (!zipStart.equals(start.subarray(0, zipStart.length))) break
    return tableFromRows(
      readWorkbook(() => copyOf(bytes)),
      xlsxFormat,
      defaultLimits,
    )
  }
  return csvTable(bytes)
}

const zipStart = Buffer.from('PK\x03\x04')

async function copyOf(bytes: ReadBytes): Promise<FileHandle> {
  const file = await temporaryFile()
  try {
    for await (const chunk of bytes()) await file.writeFile(chunk)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
