import { describe, expect, it } from 'vitest'
import { csvTable, piecesOf } from '../../../../src/storage/tables/csv-table.js'
import { readTable } from './read-table.js'

const read = (content: string | Buffer) => readTable(new File([new Uint8Array(Buffer.from(content))], 'links.csv'))
const url = 'https://example.com/'

/** What the service reads. */
async function readByService(bytes: Uint8Array) {
  const table = await csvTable(piecesOf(bytes))
  const rows: (readonly string[])[] = []
  for await (const { values } of table) rows.push(values)
  return { header: table.columns, rows }
}

const text = `long_url,title\r\n${url},Zürich\r\n`

describe('encodings', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-8 with a replacement character', Buffer.from(text.replace('ü', '\ufffd'))],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['Windows-1252', Buffer.from(text, 'latin1')],
  ])('reads %s as the service does', async (_, bytes) => {
    expect(await read(bytes)).toMatchObject(await readByService(bytes))
  })

  it.each([
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
    ['mixed encodings', Buffer.concat([Buffer.from(text), Buffer.from(text, 'latin1')])],
    ['damaged UTF-8', Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text, 'latin1')])],
    ['half a character of UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le').subarray(0, -1)],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x6c, 0, 0, 0])],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1])],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2])],
    ['a PDF', Buffer.from('%PDF-1.7\nlong_url')],
    ['a ZIP archive that is no workbook', Buffer.from('PK\x03\x04')],
    ['an open quote', Buffer.from(`long_url,title\n${url},"open\n`)],
    ['an empty first row', Buffer.from(`,,\nlong_url,title\n${url},a\n`)],
    ['nothing', Buffer.from('')],
  ])('leaves %s to the service', async (_, bytes) => expect(await read(bytes)).toBeUndefined())
})

describe('separators', () => {
  it.each([
    `long_url;title\n${url}?a,b;x\n`,
    `long_url\ttitle\n${url}\tx\n`,
    `long_url|title\n${url}|x\n`,
    `sep=;\nlong_url;a,b,c\n${url};x\n`,
    `sep=|\r\nlong_url|title\r\n${url}|x\r\n`,
    `"a;b;c",long_url\nx,${url}\n`,
    `long_url,title,,\n${url},x,,\n,,,\n${url},y,,\n`,
  ])('reads %j as the service does', async (content) => {
    const { header, rows } = await readByService(Buffer.from(content))
    const found = await read(content)
    expect(found?.header).toEqual(header)
    expect(found?.rows.map((row) => row.slice(0, header.length))).toEqual(rows)
  })

  it('sees a row that is wider than its header, as the service does', async () => {
    expect(await read(`long_url\n${url}?a,b\n`)).toMatchObject({ header: ['long_url'], rows: [[`${url}?a`, 'b']] })
  })

  it.each([
    [
      `${url}a,slug\n${url}b,other\n`,
      [
        [`${url}a`, 'slug'],
        [`${url}b`, 'other'],
      ],
    ],
    [`${url}a,slug`, [[`${url}a`, 'slug']]],
    [`"${url}a,b",slug\n`, [[`${url}a,b`, 'slug']]],
    [`slug,${url}a\n`, [['slug', `${url}a`]]],
    [`${url}a,b\n${url}c\n`, [[`${url}a,b`], [`${url}c`]]],
    [`${url}a,b\n${url}c,d,e\n`, [[`${url}a,b`], [`${url}c,d,e`]]],
    [`${url}a;slug\n`, [[`${url}a`, 'slug']]],
    [`sep=;\n${url}a,b;slug\n`, [[`${url}a,b`, 'slug']]],
    [`${url}a\r${url}b`, [[`${url}a`], [`${url}b`]]],
  ])('reads %j, which has no header', async (content, rows) => {
    expect(await read(content)).toMatchObject({ header: [], rows })
  })
})

it.each([
  [`Page;Name\n${url}?a,b;"x;y"\n`, ['long_url', 'unused "2"'], [[`${url}?a,b`, 'x;y']]],
  [`${url}?a,b\n${url}c\n`, ['long_url'], [[`${url}?a,b`], [`${url}c`]]],
  [`${url}a,slug\n`, ['long_url', 'keyword'], [[`${url}a`, 'slug']]],
])('names the columns of %j for the service', async (content, header, rows) => {
  const named = (await read(content))?.named(header)
  expect(await readByService(new Uint8Array(await (named ?? new Blob()).arrayBuffer()))).toEqual({ header, rows })
})

it('looks at the first thousand rows, without empty ones', async () => {
  const table = await read(`long_url,title\n,\n${`${url},\n`.repeat(1001)}`)
  expect([table?.rows.length, table?.hasMore]).toEqual([1000, true])
  expect(await read(`long_url,title\n${`${url},\n`.repeat(1000)}`)).toMatchObject({ hasMore: false })
  expect(await read(`long_url,title\n${',\n'.repeat(1001)}${url},\n`)).toMatchObject({ hasMore: true })
})
