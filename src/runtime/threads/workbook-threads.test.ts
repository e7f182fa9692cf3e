import { expect, it } from 'vitest'
import { cell, sheetXml, workbook, zipOf } from '../../../test/support/workbooks.js'
import { TableError } from '../../core/values/table.js'
import { piecesOf } from '../../storage/tables/csv-table.js'
import { tableOf } from '../../storage/tables/open-table.js'
import { type WorkbookLimits, WorkbookThreads } from './workbook-threads.js'

async function read(bytes: Buffer, limits: Partial<WorkbookLimits> = {}, signal?: AbortSignal) {
  const threads = new WorkbookThreads({ places: 1, ...limits })
  const rows: unknown[] = []
  try {
    const table = await tableOf(piecesOf(bytes), (open) => threads.rows(open, signal))
    for await (const { line, values } of table) rows.push([line, ...values])
    return { rows, error: undefined }
  } catch (error) {
    return { rows, error }
  } finally {
    await threads.close()
  }
}

const simple = (...texts: readonly string[]) =>
  workbook({ sheet: sheetXml([[cell.inline('a')], ...texts.map((text) => [cell.inline(text)])]), texts: [] })

/** Unpacks to 100 MiB of texts. */
const manyTexts = zipOf({
  'xl/workbook.xml': '<workbook/>',
  'xl/sharedStrings.xml': Buffer.alloc(100 * 1024 * 1024, `<si><t>${'x'.repeat(40)}</t></si>`),
})

it('gives the rows of a workbook, whatever their text', async () => {
  const texts = ['Zürich 東京 😀', 'two\nlines', 'one\u2028two', '"', `${'ü'.repeat(100_000)}`]
  const { rows, error } = await read(simple(...texts))
  expect(error).toBeUndefined()
  expect(rows).toEqual(texts.map((text, at) => [at + 2, text]))
})

it('gives the rows before an error, and then the error', async () => {
  const bytes = simple('x', 'y', 'z'.repeat(300_000))
  const { rows, error } = await read(bytes)
  expect(rows).toEqual([
    [2, 'x'],
    [3, 'y'],
  ])
  expect(error).toBeInstanceOf(TableError)
  expect((error as Error).message).toMatch(/^(?:Line 4: This row is longer|A cell of the workbook is too long)/)
})

it('refuses a workbook that needs too much time or memory, and reads others after it', async () => {
  const threads = new WorkbookThreads({ places: 1, memory: 24 })
  const open = (bytes: Buffer) => tableOf(piecesOf(bytes), (file) => threads.rows(file))
  await expect(open(manyTexts)).rejects.toThrow('The workbook needs too much memory. Save it as CSV, or split it.')
  const next = await open(simple('x'))
  expect(next.columns).toEqual(['a'])
  await next.close()
  const { error } = await read(manyTexts, { timeout: 50 })
  expect(error).toEqual(new TableError('The workbook takes too long to read. Save it as CSV, or split it.'))
})

it('stops reading when it is told to, and lets the next one in', async () => {
  const threads = new WorkbookThreads({ places: 1 })
  const stopped = new AbortController()
  const events: string[] = []
  let ended: Promise<unknown> | undefined
  await new Promise<void>((inside) => {
    const first = tableOf(piecesOf(manyTexts), (open) => {
      const entered = () => {
        inside()
        return open()
      }
      return threads.rows(entered, stopped.signal)
    })
    ended = first.catch((error: Error) => events.push(error.message))
  })
  const second = tableOf(piecesOf(simple('x')), (open) => threads.rows(open)).then((table) => {
    events.push('read')
    return table.close()
  })
  stopped.abort(new Error('stopped'))
  await Promise.all([ended, second])
  expect(events).toEqual(['stopped', 'read'])
  const third = tableOf(piecesOf(manyTexts), (open) => threads.rows(open))
  await threads.close()
  await expect(third).rejects.toThrow('The service is stopping.')
})
