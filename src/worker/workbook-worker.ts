/** The thread that reads one workbook, and ends. It opens and closes no file: these belong to the main thread. */
import { fstat, read } from 'node:fs'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { TableError } from '../core/values/table.js'
import { writeRows } from '../storage/tables/stored-rows.js'
import { xlsxRows } from '../storage/tables/xlsx-table.js'
import { lowerPriority } from './lower-priority.js'

/** File descriptors. */
export interface WorkbookFiles {
  readonly workbook: number
  readonly rows: number
}

const files: WorkbookFiles = workerData
await lowerPriority()
try {
  const workbook = {
    stat: () => promisify(fstat)(files.workbook),
    read: (buffer: Buffer, offset: number, length: number, position: number) =>
      promisify(read)(files.workbook, buffer, offset, length, position),
  }
  await writeRows(files.rows, xlsxRows(workbook))
} catch (error) {
  if (!(error instanceof TableError)) throw error
  parentPort?.postMessage(error.message)
}
