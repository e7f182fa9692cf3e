import { expect, it } from 'vitest'
import { columns } from './columns.js'
import { printable } from './printable.js'

it.each([
  ['plain text, über 日本 😀\n\tand more', 'plain text, über 日本 😀\n\tand more'],
  ['a\x1b[2Jb', 'a\\u001b[2Jb'],
  ['a\x9b31mb\x07\x00\r', 'a\\u009b31mb\\u0007\\u0000\\u000d'],
  ['exe.\u202egnp', 'exe.\\u202egnp'],
])('%j is written to a terminal as %j', (text, written) => expect(printable(text)).toBe(written))

it('JSON stays what it is', () => {
  const value = { label: 'a\x1b\x7f\x9b\u202e\n"b\\' }
  expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value)
})

it('a line end in a cell does not begin another row of a table', () => {
  const rows = [
    ['NAME', 'CREATED'],
    ['one\r\n  two\nthree', 'today'],
  ]
  expect(columns(rows)).toEqual(['NAME           CREATED', 'one two three  today'])
})
