import { expect, it } from 'vitest'
import { prefersCsv } from './media-types.js'

it.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV', true],
  ['text/csv; charset=utf-8', true],
  ['text/csv, application/json', true],
  ['application/json;q=0.9, text/csv', true],
  ['application/json, text/csv;q=0.9', false],
  ['text/csv;q=0', false],
  ['text/csv;q=nonsense', false],
  ['text/csv, */*', true],
  ['text/csv;q=0.9, */*;q=0.1', true],
  ['text/csv;q=0.5, */*', false],
  ['*/*, text/csv;q=0.2', false],
  ['text/csv;q=0.1, application/*', false],
  ['text/csv;q=0.5, application/json;q=0.1, */*', true],
  ['text/csv;q=0.5, application/json;q=0', true],
])('tells whether CSV is preferred: %j -> %s', (accept, expected) => {
  expect(prefersCsv(accept)).toBe(expected)
})
