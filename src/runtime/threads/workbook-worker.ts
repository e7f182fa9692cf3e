/** Reads one workbook. It opens and closes no file: these belong to the main thread. */
import { TableError } from '../../core/values/table.js'
import { writeRows } from '../../storage/tables/stored-rows.js'
import { xlsxRows } from '../../storage/tables/xlsx-table.js'

/** File descriptors. */
export interface WorkbookFiles {
  readonly workbook: number
  readonly rows: number
}

export interface WorkbookThreadMethods {
  /** Writes the rows, and returns what is wrong with the workbook after them. */
  read(): Promise<string | undefined>
}

export function serve(files: WorkbookFiles): WorkbookThreadMethods {
  return {
    async read() {
      try {
        await writeRows(files.rows, xlsxRows(files.workbook))
        return undefined
      } catch (error) {
        if (!(error instanceof TableError)) throw error
        return error.message
      }
    },
  }
}
