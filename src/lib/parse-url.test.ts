import { expect, it } from 'vitest'
import { parseUrl } from './parse-url.js'

it('parses a URL, also relative to another', () => {
  expect(parseUrl('https://Example.com/a')?.href).toBe('https://example.com/a')
  expect(parseUrl('../b', 'https://example.com/a/')?.href).toBe('https://example.com/b')
})

it.each(['', 'example.com', 'https://', 'https://a b.example/'])('is undefined for "%s"', (text) => {
  expect(parseUrl(text)).toBeUndefined()
})

it('goes on parsing international names after it was optimized', () => {
  let refused = 0
  for (let times = 0; times < 100_000; times += 1) if (!parseUrl('https://bücher.example/')) refused += 1
  expect(refused).toBe(0)
})
