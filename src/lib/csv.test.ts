import { expect, it } from 'vitest'
import { csvRow, csvText } from './csv.js'

it('writes a row by itself, with formulas made harmless', () => {
  expect(csvRow(['=1+1', 'a,b', -2, ''])).toBe(`'=1+1,"a,b",-2,\n`)
})

it('separates rows as the header is separated', () => {
  expect(csvText('A, B', [['x', 1]])).toBe('A, B\nx, 1\n')
  expect(csvText('A,B', [['x', 1]])).toBe('A,B\nx,1\n')
  expect(csvText('A', [['x']])).toBe('A\nx\n')
  expect(csvText('A, B', [])).toBe('A, B\n')
})

it.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\rlines', '"two\rlines"'],
  [' spaced ', '" spaced "'],
  ['', ''],
  ['Zürich', 'Zürich'],
  ['1-2', '1-2'],
])('quotes only cells that need it: %j', (value, written) => {
  expect(csvText('A', [[value]])).toBe(`A\n${written}\n`)
})

it('begins a quoted cell right after its comma, where strict readers look for it', () => {
  expect(csvText('A, B, C', [['a, "b"', 'c,d', 2]])).toBe('A, B, C\n"a, ""b""","c,d", 2\n')
})

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['  =1', "'  =1"],
  ['\t', `"'\t"`],
  ['＝1', "'＝1"],
  ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
])('writes %j so that no spreadsheet computes it', (value, written) => {
  expect(csvText('A', [[value]])).toBe(`A\n${written}\n`)
})

it('leaves numbers alone', () => {
  expect(csvText('A', [[-5]])).toBe('A\n-5\n')
})
