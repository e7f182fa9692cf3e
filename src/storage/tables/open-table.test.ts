import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Table, TableError } from '../../core/values/table.js'
import { csvTable, piecesOf } from './csv-table.js'
import { openTable } from './open-table.js'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tables-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Read in pieces of three bytes too, so that every piece border is tried. */
async function read(content: string | Buffer): Promise<Record<string, unknown>> {
  const bytes = Buffer.from(content as string)
  const whole = await contentOf(await csvTable(piecesOf(bytes)))
  expect(await contentOf(await csvTable(piecesOf(bytes, 3)))).toEqual(whole)
  return whole
}

async function contentOf(table: Table): Promise<Record<string, unknown>> {
  const rows: unknown[] = []
  for await (const { line, values, problem } of table) rows.push([line, ...values, ...(problem ? [{ problem }] : [])])
  return { columns: table.columns, format: table.format, rows }
}

async function refusal(content: string | Buffer, limits?: { rowLength: number; columns: number }): Promise<string> {
  const reading = csvTable(piecesOf(Buffer.from(content as string)), limits).then(contentOf)
  const error = await reading.catch((error) => error)
  expect(error).toBeInstanceOf(TableError)
  return error.message
}

const rows = (content: string | Buffer) => read(content).then((found) => found.rows)

it('reads rows below their header', async () => {
  expect(await read('long_url,title\nhttps://a.example,A\nhttps://b.example,B\n')).toEqual({
    columns: ['long_url', 'title'],
    format: 'CSV, UTF-8, separated by commas',
    rows: [
      [2, 'https://a.example', 'A'],
      [3, 'https://b.example', 'B'],
    ],
  })
})

it('finds a value by the name of its column, however the header is written', async () => {
  const table = await csvTable(piecesOf(Buffer.from(' Long URL ,expiration-at\n https://a.example ,x\n')))
  for await (const row of table) {
    expect([row.get('long_url'), row.get('expiration_at'), row.get('title')]).toEqual(['https://a.example', 'x', ''])
  }
})

it.each([
  ['a;b\n1;2,5\n', 'semicolons'],
  ['a\tb\n1\t2,5\n', 'tabs'],
  ['a|b\n1|2,5\n', 'vertical bars'],
  ['sep=;\r\na;b\r\n1;2,5\r\n', 'semicolons'],
  ['"a,a,a";b\n1;2,5\n', 'semicolons'],
])('finds out the separator of %j', async (text, name) => {
  const found = await read(text)
  expect(found.format).toBe(`CSV, UTF-8, separated by ${name}`)
  expect(found.rows).toMatchObject([[expect.any(Number), '1', '2,5']])
})

it('reads quoted cells with separators, quotes and line ends', async () => {
  expect(await rows('a,b\n"1,""x""","two\nlines"\n"","after\r\nthat"\nlast,one\n')).toEqual([
    [2, '1,"x"', 'two\nlines'],
    [4, '', 'after\r\nthat'],
    [6, 'last', 'one'],
  ])
})

it('reads mixed line ends, empty lines and a last line without an end', async () => {
  expect(await rows('a,b\r\n1,2\n3,4\r5,6\r\n\r\n\n,\n7,8')).toEqual([
    [2, '1', '2'],
    [3, '3', '4'],
    [4, '5', '6'],
    [8, '7', '8'],
  ])
})

it('reads misplaced quotes as spreadsheets do', async () => {
  expect(await rows('a,b\n5" disk,"x"y\n"1"2"3,4\n')).toEqual([
    [2, '5" disk', 'xy'],
    [3, '12"3', '4'],
  ])
})

it('says where a quote begins that never ends', async () => {
  expect(await refusal('a,b\n1,2\n3,"4\n5,6\n')).toBe(
    'Line 3: A quote begins here and never ends. Close it, or write it twice if it is text.',
  )
})

it.each([
  ['UTF-8', Buffer.from('\ufefftitle,b\nZürich 東京 😀,1\n')],
  ['UTF-16', Buffer.from('\ufefftitle,b\nZürich 東京 😀,1\n', 'utf16le')],
  ['UTF-16', Buffer.from('\ufefftitle,b\nZürich 東京 😀,1\n', 'utf16le').swap16()],
  ['UTF-16', Buffer.from('title,b\nZürich 東京 😀,1\n', 'utf16le')],
  ['UTF-16', Buffer.from('title,b\nZürich 東京 😀,1\n', 'utf16le').swap16()],
])('reads %s', async (name, bytes) => {
  const whole = await contentOf(await csvTable(piecesOf(bytes)))
  expect(whole).toEqual({
    columns: ['title', 'b'],
    format: `CSV, ${name}, separated by commas`,
    rows: [[2, 'Zürich 東京 😀', '1']],
  })
})

it('reads text that is not UTF-8 as Windows-1252, which contains Latin-1', async () => {
  const found = await read(Buffer.from('title\nZ\xfcrich\n\x80 5\n', 'latin1'))
  expect(found).toMatchObject({ format: 'CSV, Windows-1252, separated by commas' })
  expect(found.rows).toEqual([
    [2, 'Zürich'],
    [3, '€ 5'],
  ])
})

it('refuses a mixture of encodings, and says where it begins', async () => {
  const bytes = Buffer.concat([Buffer.from('title\nZürich\n'), Buffer.from('K\xf6ln\n', 'latin1')])
  expect(await refusal(bytes)).toBe(
    'Line 3: The text is UTF-8 before or after this line, but not here: the file mixes encodings. Save it as UTF-8.',
  )
})

it.each([
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /old Excel workbook/],
  [Buffer.from([0x1f, 0x8b, 0x08]), /gzip/],
  [Buffer.from('%PDF-1.7'), /PDF/],
  [Buffer.from('PK\x03\x04'), /ZIP archive/],
  [Buffer.from('\ufeffa', 'utf16le').subarray(0, 0), /empty/],
  [Buffer.from('\ufeff'), /empty/],
  [Buffer.from(' \r\n\n'), /empty/],
  [Buffer.from('a\0b,c\n1,2\n'), /NUL/],
])('refuses what is no CSV: %j', async (bytes, expected) => {
  expect(await refusal(bytes)).toMatch(expected)
})

it('a NUL or a surplus cell spoils only its own row', async () => {
  expect(await rows('a,b\n1,2\n3,\0\n4,5,6\n7\n8,9,,\n')).toEqual([
    [2, '1', '2'],
    [3, '3', '\0', { problem: 'This row has a NUL character; remove it.' }],
    [4, '4', '5', { problem: 'This row has 3 cells, but the header has 2: put text with separators in quotes.' }],
    [5, '7', ''],
    [6, '8', '9'],
  ])
})

it('refuses two columns of one name; columns without a name are ignored', async () => {
  expect(await refusal('title,link,Title\n1,2,3\n')).toBe(
    'Line 1: The columns 1 and 3 are both called "Title". Rename or delete one of them.',
  )
  expect(await read('a,,b,,\n1,2,3,,\n')).toMatchObject({ columns: ['a', '', 'b'], rows: [[2, '1', '2', '3']] })
  const table = await csvTable(piecesOf(Buffer.from('__proto__,constructor\n1,2\n')))
  for await (const row of table) expect([row.get('proto'), row.get('tostring')]).toEqual(['1', ''])
})

it('refuses too many columns', async () => {
  expect(await refusal('a,b,c\n', { rowLength: 100, columns: 2 })).toMatch(/^Line 1: The header has 3 columns/)
})

it('refuses a row that is too long, whether or not a quote is open', async () => {
  const limits = { rowLength: 2048, columns: 10 }
  const long = 'x'.repeat(3000)
  expect(await refusal(`a\nb\n${long}\n`, limits)).toBe(
    'Line 3: This row is longer than 2 KiB, which no row may be. Shorten it.',
  )
  expect(await refusal(`a\nb\n"c\n${long}`, limits)).toMatch(
    /^Line 3: .* A quote that begins in line 3 may not be closed/,
  )
  expect(await refusal(long, limits)).toMatch(/^Line 1: /)
})

it('refuses a line of 100 MB without reading it into memory', async () => {
  const path = join(folder, 'long-line.csv')
  const file = await open(path, 'w')
  await file.write('long_url\nhttps://a.example\n')
  const piece = Buffer.alloc(1024 * 1024, 'a')
  for (let written = 0; written < 100; written += 1) await file.write(piece)
  await file.close()
  const before = process.memoryUsage().arrayBuffers
  let seen = 0
  const reading = (async () => {
    for await (const _row of await openTable(path)) seen += 1
  })()
  await expect(reading).rejects.toThrow('Line 3: This row is longer than 256 KiB')
  expect(seen).toBe(1)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024)
})

it('reads a file', async () => {
  const path = join(folder, 'small.csv')
  await writeFile(path, 'a\n1\n')
  expect(await contentOf(await openTable(path))).toMatchObject({ rows: [[2, '1']] })
})
