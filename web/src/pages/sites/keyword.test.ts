import { expect, it } from 'vitest'
import { keywordOf } from './keyword.js'

it.each([
  ['Anna’s Pottery', 'annas-pottery'],
  ['  Café Ada! ', 'cafe-ada'],
  ['Straße 1', 'strasse-1'],
  ['日本', ''],
  ['x'.repeat(60), 'x'.repeat(50)],
])('%s suggests %s', (name, keyword) => {
  expect(keywordOf(name)).toBe(keyword)
})
