import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cell, sheetXml, workbook, zipOf } from '../../../test/support/workbooks.js'
import { TableError } from '../../core/values/table.js'
import { openTable } from './open-table.js'

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbooks-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(bytes: Buffer, limits?: { rowLength: number; columns: number }) {
  const path = join(folder, `${files++}.xlsx`)
  await writeFile(path, bytes)
  const table = await openTable(path, limits)
  const rows: unknown[] = []
  for await (const { line, values, problem } of table) rows.push([line, ...values, ...(problem ? [{ problem }] : [])])
  return { columns: table.columns, format: table.format, rows }
}

async function refusal(bytes: Buffer, limits?: { rowLength: number; columns: number }): Promise<string> {
  const error = await read(bytes, limits).catch((error) => error)
  expect(error).toBeInstanceOf(TableError)
  return error.message
}

/** A sheet whose last cell does not end. */
function unfinished(rows: Parameters<typeof sheetXml>[0]): string {
  const sheet = sheetXml(rows)
  return sheet.slice(0, sheet.lastIndexOf('</c>'))
}

it('reads the first sheet of a workbook', async () => {
  const texts = ['long_url', 'title', 'https://a.example/?a=1&b=<2>', 'Zürich 東京 😀']
  const sheet = sheetXml([
    [cell.shared(0), cell.shared(1)],
    [cell.shared(2), cell.shared(3)],
    [cell.inline(' b '), cell.number('1.5')],
  ])
  expect(await read(workbook({ sheet, texts }))).toEqual({
    columns: ['long_url', 'title'],
    format: 'XLSX, first sheet',
    rows: [
      [2, 'https://a.example/?a=1&b=<2>', 'Zürich 東京 😀'],
      [3, ' b ', '1.5'],
    ],
  })
})

it('reads dates, booleans, texts of formulas, rich and escaped texts, and cells that are left out', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e', { rich: ['Hello ', 'world'] }, 'two_x000A_lines']
  const header = [0, 1, 2, 3, 4].map(cell.shared)
  const sheet = sheetXml([
    header,
    [
      cell.date('46327.5', 1),
      cell.custom('t="b"', '<v>1</v>'),
      cell.custom('t="str"', '<f>A1&amp;"x"</f><v>x</v>'),
      cell.shared(5),
      cell.shared(6),
    ],
    [undefined, undefined, cell.inline('<![CDATA[<raw>]]>', true), undefined, cell.date('46327', 2)],
    [],
    [cell.custom('t="e"', '<v>#N/A</v>')],
  ])
  const { rows } = await read(workbook({ sheet, texts }))
  expect(rows).toEqual([
    [2, '2026-11-01T12:00:00+0000', 'true', 'x', 'Hello world', 'two\nlines'],
    [3, '', '', '<raw>', '', '2026-11-01T00:00:00+0000'],
    [5, '#N/A', '', '', '', ''],
  ])
})

it('refuses zip bombs without unpacking them, whatever size they claim', async () => {
  const bomb = (megabytes: number, claimed: number) => {
    const texts = Buffer.alloc(megabytes * 1024 * 1024, `<si><t>${'x'.repeat(1000)}</t></si>`)
    const book = '<workbook><sheets><sheet r:id="x"/></sheets></workbook>'
    return zipOf({ 'xl/workbook.xml': book, 'xl/sharedStrings.xml': texts }, claimed)
  }
  // Already of the first part.
  expect(await refusal(bomb(1, 300_000_000))).toMatch(/unpacks to more than 4 MiB/)
  const before = process.memoryUsage().rss
  expect(await refusal(bomb(129, 1))).toMatch(/unpacks to more than 128 MiB. Save it as CSV, or split it/)
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  const spaces = `<sst><si><t>${' '.repeat(300 * 1024)}`
  expect(await refusal(zipOf({ 'xl/workbook.xml': '<workbook/>', 'xl/sharedStrings.xml': spaces }))).toMatch(/too long/)
})

it('refuses a sheet with more rows than spreadsheets have, also if they are empty', async () => {
  const rows = Buffer.alloc(7 * 1024 * 1024, '<row/>')
  const sheet = zipOf({ 'xl/workbook.xml': '<workbook/>', 'xl/worksheets/sheet1.xml': rows })
  expect(await refusal(sheet)).toMatch(/more than 1048576 rows. Save it as CSV, or split it/)
})

it.each([
  ['a ZIP archive of something else', zipOf({ 'a.txt': 'a' }), /no XLSX workbook/],
  ['a workbook without a sheet', zipOf({ 'xl/workbook.xml': '<workbook/>' }), /no sheet/],
  ['an empty sheet', workbook({ sheet: sheetXml([]), texts: [] }), /empty/],
  [
    'an archive that is cut off',
    workbook({ sheet: sheetXml([[cell.inline('a')]]), texts: [] }).subarray(0, 200),
    /damaged/,
  ],
  [
    'a document type',
    workbook({ sheet: `<!DOCTYPE x [<!ENTITY a "b">]>${sheetXml([[cell.inline('&a;')]])}`, texts: [] }),
    /document type/,
  ],
  [
    'two columns of one name',
    workbook({ sheet: sheetXml([[cell.inline('a'), cell.inline('A')]]), texts: [] }),
    /both called/,
  ],
])('refuses %s', async (_, bytes, expected) => {
  expect(await refusal(bytes)).toMatch(expected)
})

it('refuses damaged content', async () => {
  const bytes = workbook({ sheet: sheetXml([[cell.inline('abcdefgh'.repeat(50))]]), texts: ['x'.repeat(500)] })
  const at = bytes.indexOf('xl/sharedStrings.xml') + 40
  bytes.fill(0xff, at, at + 10)
  expect(await refusal(bytes)).toMatch(/damaged|too long|no sheet/)
})

it('marks rows with more cells than the header, also far to the right, and refuses rows that are too long', async () => {
  const far =
    '<row r="2"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="XFD2" t="inlineStr"><is><t>b</t></is></c></row>'
  const sheet = sheetXml([[cell.inline('a')]]).replace('</sheetData>', `${far}</sheetData>`)
  const { rows } = await read(workbook({ sheet, texts: [] }))
  expect(rows).toEqual([[2, 'a', { problem: expect.stringMatching(/^This row has 201 cells, but the header has 1/) }]])
  const long = sheetXml([[cell.inline('a')], [cell.inline('x'.repeat(600)), cell.inline('x'.repeat(600))]])
  expect(await refusal(workbook({ sheet: long, texts: [] }), { rowLength: 1024, columns: 5 })).toMatch(
    /^Line 2: This row is longer than 1 KiB/,
  )
})

it.each([
  ['many pieces of CDATA', '<![CDATA[xxxxxxxx]]>'.repeat(200)],
  ['texts between tags', 'xxxxxxxx<b/>'.repeat(200)],
  ['texts between comments', 'xxxxxxxx<!-- -->'.repeat(200)],
])('refuses a cell that is too long in %s, before its end', async (_, pieces) => {
  const limits = { rowLength: 1024, columns: 5 }
  const sheet = unfinished([[cell.inline('a')], [cell.custom('', `<v>${pieces}`)]])
  expect(await refusal(workbook({ sheet, texts: [] }), limits)).toMatch(/^Line 2: This row is longer than 1 KiB/)
  const shared = zipOf({ 'xl/workbook.xml': '<workbook/>', 'xl/sharedStrings.xml': `<sst><si><t>${pieces}` })
  expect(await refusal(shared, limits)).toMatch(/too long/)
})

it('refuses a row that is too long in several cells before the last one ends', async () => {
  const cells = [cell.inline('x'.repeat(600)), cell.custom('', `<v>${'<![CDATA[xxxxxxxx]]>'.repeat(60)}`)]
  const sheet = unfinished([[cell.inline('a'), cell.inline('b')], cells])
  expect(await refusal(workbook({ sheet, texts: [] }), { rowLength: 1024, columns: 5 })).toMatch(/^Line 2: .* 1 KiB/)
})

it('reads a row that is nearly too long, with spaces between its cells', async () => {
  const row = [cell.inline('x'.repeat(600)), cell.inline('y'.repeat(400))]
  const sheet = sheetXml([[cell.inline('a'), cell.inline('b')], row]).replaceAll('</c>', '</c>\n')
  const { rows } = await read(workbook({ sheet, texts: [] }), { rowLength: 1024, columns: 5 })
  expect(rows).toEqual([[2, 'x'.repeat(600), 'y'.repeat(400)]])
})

it('refuses a sheet that ends in the middle, wherever that is', async () => {
  const sheet = sheetXml([
    [cell.inline('long_url'), cell.inline('title')],
    [cell.inline('https://a.example/'), cell.inline('A')],
    [cell.inline('https://b.example/'), cell.inline('B')],
  ])
  for (let length = sheet.indexOf('</row>') + 6; length < sheet.length; length += 7) {
    expect([length, await refusal(workbook({ sheet: sheet.slice(0, length), texts: [] }))]).toEqual([
      length,
      expect.stringMatching(/The workbook is damaged/),
    ])
  }
})

it('refuses a cell whose shared text is missing', async () => {
  const sheet = sheetXml([[cell.shared(0)], [cell.shared(1)]])
  expect(await refusal(workbook({ sheet, texts: ['long_url'] }))).toMatch(/the text of a cell is missing/)
})
