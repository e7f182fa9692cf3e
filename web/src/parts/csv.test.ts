import { expect, it } from 'vitest'
import { csvRow } from '../../../src/lib/csv.js'
import { CsvRows } from '../../../src/storage/tables/csv-rows.js'
import { csvRows, csvText } from './csv.js'

it('writes a line for each row', () => {
  const rows = [
    ['Channel', 'Link'],
    ['Radio', ''],
  ]
  expect(csvText(rows)).toBe('Channel,Link\r\nRadio,\r\n')
})

it.each(['', 'Zürich', '1-2', 'a,b', 'say "hi"', 'two\nlines', 'two\rlines', 'a\tb', ' spaced '])(
  'quotes %j as the service does',
  (text) => expect(csvText([[text]])).toBe(csvRow([text]).replace(/\n$/, '\r\n')),
)

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '  =1', '\t', '＝1', '＋1', '－1', '＠A1', '=A("b")'])(
  'makes %j harmless as the service does',
  (text) => {
    expect(csvText([[text]])).toBe(csvRow([text]).replace(/\n$/, '\r\n'))
    expect(csvText([[text]])).toMatch(/^"?'/)
  },
)

it.each([
  [
    'a,b\r\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a\n\n,\nb\r', [['a'], ['', ''], ['b']]],
  ['"a,""b""\nc",d\n', [['a,"b"\nc', 'd']]],
  ['a"b,"c"d"e,""', [['a"b', 'cd"e', '']]],
  ['a,\n', [['a', '']]],
  ['', []],
])('reads %j as the service does', (text, rows) => {
  expect(csvRows(text).map(({ cells }) => cells)).toEqual(rows)
  const service = new CsvRows(',', 1000, 1)
  expect([...service.add(text), ...service.end()].map(({ values }) => values)).toEqual(rows)
})

it.each(['"open,e', 'a,"b""', 'a\n"b\n\n'])('refuses %j as the service does', (text) => {
  expect(() => csvRows(text)).toThrow('a quote never ends')
  const service = new CsvRows(',', 1000, 1)
  expect(() => [...service.add(text), ...service.end()]).toThrow('never ends')
})

it('reads as many rows as are wanted, and says where they end', () => {
  expect(csvRows('a;1\nb;2\n', ';', 1)).toEqual([{ cells: ['a', '1'], end: 4 }])
})
