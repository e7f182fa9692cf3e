/**
 * Reads tables from files that users send, as a stream of rows with bounded memory: CSV in any usual spelling, and the first
 * sheet of XLSX workbooks. Files are hostile until read: whatever is wrong with them is a `TableError`, or a problem of one
 * row. Knows nothing of links.
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '../../core/values/table.js'
import { csvTable, type ReadBytes } from './csv-table.js'
import type { TableLimits } from './table-from-rows.js'
import { xlsxTable } from './xlsx-table.js'

export async function openTable(path: string, limits?: TableLimits): Promise<Table> {
  const file = await open(path)
  const start = Buffer.alloc(zipStart.length)
  await file.read(start, 0, start.length, 0)
  if (start.equals(zipStart)) return workbookIn(file, limits)
  await file.close()
  return csvTable(() => createReadStream(path), limits)
}

/** Of bytes that are no file. A workbook is copied to a temporary file, because its parts are read in another order. */
export async function tableOf(bytes: ReadBytes, limits?: TableLimits): Promise<Table> {
  for await (const start of bytes()) {
    if (!zipStart.equals(start.subarray(0, zipStart.length))) break
    return workbookIn(await temporaryFile(bytes), limits)
  }
  return csvTable(bytes, limits)
}

const zipStart = Buffer.from('PK\x03\x04')

async function workbookIn(file: FileHandle, limits: TableLimits | undefined): Promise<Table> {
  try {
    return closingWith(await xlsxTable(file, limits), file)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The table closes the file, at its end or before. */
function closingWith(table: Table, file: FileHandle): Table {
  return {
    ...table,
    async close() {
      await table.close()
      await file.close()
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* table
      } finally {
        await file.close()
      }
    },
  }
}

/** Without a name as soon as it is open, so that nothing has to be cleaned up; where the system allows that. */
async function temporaryFile(bytes: ReadBytes): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'shortlink-table-'))
  const file = await open(join(folder, 'workbook.xlsx'), 'wx+', 0o600)
  await rm(folder, { recursive: true }).catch(() => {})
  try {
    for await (const chunk of bytes()) await file.writeFile(chunk)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
