/** Files that break careless importers. Each is read or refused with a sentence that says what to do; memory stays small. */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { cell, sheetXml, workbook, zipOf } from '../../../test/support/workbooks.js'
import { isInvalid } from '../../core/imports/imported-link.js'
import { openLinkSource } from './open-link-source.js'

const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function file(content: string | Buffer): string {
  const path = join(folder, `${files++}.csv`)
  writeFileSync(path, content)
  return path
}

/** What was read, or the sentence of the refusal without the path. */
async function read(path: string): Promise<unknown> {
  const options = { from: undefined, token: undefined, now: Date.now(), note: () => {} }
  try {
    const source = await openLinkSource(path, options)
    const rows: unknown[] = []
    for await (const row of source.links()) rows.push(isInvalid(row) ? `${row.row}: ${row.reason}` : row.title)
    await source.close()
    return rows
  } catch (error) {
    return (error as Error).message.replaceAll(path, 'FILE')
  }
}

const header = 'keyword,long_url,title\n'
const row = 'a,https://example.com/,Zürich € ＝1\n'

it.each([
  ['UTF-8 with a mark', Buffer.from(`\ufeff${header}${row}`), 'Zürich € ＝1'],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${header}${row}`, 'utf16le'), 'Zürich € ＝1'],
  ['UTF-16 without a mark', Buffer.from(header + row, 'utf16le'), 'Zürich € ＝1'],
  ['UTF-16, big end first', Buffer.from(`\ufeff${header}${row}`, 'utf16le').swap16(), 'Zürich € ＝1'],
  ['UTF-16, big end first, without a mark', Buffer.from(header + row, 'utf16le').swap16(), 'Zürich € ＝1'],
  ['Latin-1', Buffer.from(`${header}a,https://example.com/,Z\xfcrich\n`, 'latin1'), 'Zürich'],
  ['Windows-1252', Buffer.from(`${header}a,https://example.com/,\x80 5 \x96 7\n`, 'latin1'), '€ 5 – 7'],
  ['mixed line ends', Buffer.from(`${header.replace('\n', '\r\n')}\r\n\na,https://example.com/,A\r\r\n`), 'A'],
])('reads %s', async (_, bytes, title) => {
  expect(await read(file(bytes))).toEqual([title])
})

const long = 'x'.repeat(300 * 1024)

it.each([
  ['an empty file', '', /empty: its first row must name the columns/],
  ['a file of spaces', ' \n\r\n ', /empty: its first row must name the columns/],
  ['two columns of one name', 'keyword,long_url,Long URL\na,b,c\n', /columns 2 and 3 are both called "Long URL"/],
  [
    '10,000 columns',
    `${Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',')}\n`,
    /10000 columns; at most 200/,
  ],
  [
    'a quote that never ends',
    `${header}a,"https://example.com/\nb,c,d\n`,
    /^Line 2: A quote begins here and never ends/,
  ],
  ['a quote that never ends in a long file', `${header}a,"${long}`, /^Line 2: .*A quote that begins in line 2 may not/],
  ['a header without an end', long, /^Line 1: This row is longer than 256 KiB/],
  ['NULs in the header', 'key\0word,long_url\na,b\n', /NUL/],
  ['nothing but NULs', Buffer.alloc(100_000), /NUL|no text|not a text/],
  [
    'mixed encodings',
    Buffer.concat([Buffer.from(header + row), Buffer.from('b,c,K\xf6ln\n', 'latin1')]),
    /mixes encodings/,
  ],
  ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), /old Excel workbook/],
  [
    'a dump that ends in a row',
    "INSERT INTO `yourls_url` VALUES ('a','https://example.com/",
    /incomplete|ends in the middle/,
  ],
])('refuses %s', async (_, content, expected) => {
  expect(await read(file(content))).toMatch(expected)
})

it('a NUL, a surplus cell or a formula spoils or changes only its own row', async () => {
  const rows = [
    'a,https://example.com/,A\0',
    'b,https://example.com/,B,C,D',
    'c,https://example.com/,=1+1',
    'd,,',
    ',,',
  ]
  expect(await read(file(`${header}${rows.join('\n')}\n`))).toEqual([
    expect.stringMatching(/^2: .*NUL/),
    expect.stringMatching(/^3: .*5 cells, but the header has 3/),
    '=1+1',
    '',
  ])
})

const book = '<workbook><sheets><sheet r:id="x"/></sheets></workbook>'
const good = workbook({ sheet: sheetXml([[cell.inline('keyword'), cell.inline('long_url')]]), texts: [] })

/** The size that an archive states for its first entry, packed and unpacked, in its list. */
function lying(bytes: Buffer, packed: number | undefined, unpacked: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = copy.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4, 'latin1')) {
    if (packed !== undefined) copy.writeUInt32LE(packed, at + 20)
    copy.writeUInt32LE(unpacked, at + 24)
  }
  return copy
}

/** The flags of its first entry. */
function flagged(bytes: Buffer, flags: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt16LE(flags, copy.indexOf('PK\x01\x02', 0, 'latin1') + 8)
  return copy
}

it.each<[string, () => Buffer, RegExp]>([
  ['a workbook in a workbook', () => zipOf({ 'book.xlsx': good }), /no XLSX workbook/],
  [
    'a bomb of styles',
    () => zipOf({ 'xl/workbook.xml': book, 'xl/styles.xml': Buffer.alloc(5 << 20, '<xf/>') }),
    /more than 4 MiB/,
  ],
  [
    'a tag without an end',
    () => zipOf({ 'xl/workbook.xml': book, 'xl/worksheets/sheet1.xml': `<sheetData><row r="${' '.repeat(1 << 20)}` }),
    /too long/,
  ],
  ['a packed size beyond the file', () => lying(good, 0x7fffffff, 10), /damaged/],
  ['bytes after its end', () => Buffer.concat([good, Buffer.from('\n')]), /damaged/],
  ['a password', () => flagged(good, 0x01), /protected by a password/],
  ['a password of another kind', () => flagged(good, 0x41), /protected by a password/],
  [
    'too many entries',
    () =>
      zipOf(Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`xl/worksheets/some-sheet-${at}.xml`, '']))),
    /damaged|no XLSX workbook/,
  ],
])('refuses %s', async (_, bytes, expected) => {
  expect(await read(file(bytes()))).toMatch(expected)
})

it('does not believe a small unpacked size that a workbook states, and refuses one that is too large', async () => {
  expect(await read(file(lying(good, undefined, 1)))).toEqual([])
  expect(await read(file(lying(good, undefined, 0xfffffff0)))).toMatch(/unpacks to more than 4 MiB/)
})

it.each([
  ['a table', header, /^Line 2: This row is longer than 256 KiB/],
  ['a dump', "INSERT INTO `yourls_url` VALUES ('a','", /longer than 16777216 characters/],
])('refuses a line of 100 MB in %s, in a file that fits into no string', async (_, start, expected) => {
  const path = file(start)
  const handle = openSync(path, 'a')
  const piece = Buffer.alloc(1 << 20, 'x')
  for (let written = 0; written < 100; written += 1) writeSync(handle, piece)
  // A hole takes no room on the disk. The longest string has half a gibibyte.
  ftruncateSync(handle, 1024 ** 3)
  closeSync(handle)
  expect(await read(path)).toMatch(expected)
  rmSync(path)
})
