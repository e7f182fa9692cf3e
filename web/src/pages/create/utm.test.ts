import { expect, it } from 'vitest'
import { readUtm, withUtm } from './utm.js'

it.each([
  ['https://example.com/', { source: 'news letter' }, 'https://example.com/?utm_source=news%20letter'],
  ['https://example.com/?a=%20b#top', { medium: 'email' }, 'https://example.com/?a=%20b&utm_medium=email#top'],
  ['https://example.com/?utm_source=old&b', { source: 'new' }, 'https://example.com/?b&utm_source=new'],
  ['https://example.com/?utm_source=old#top', { source: ' ' }, 'https://example.com/#top'],
  ['not a url', { term: 'a&b' }, 'not a url?utm_term=a%26b'],
])('%s with %o is %s', (url, changes, expected) => {
  expect(withUtm(url, changes)).toBe(expected)
})

it('reads what is there, also when it is empty', () => {
  expect(readUtm('https://example.com/?utm_source=news%20letter&utm_term=&other=1#utm_medium=x')).toEqual({
    source: 'news letter',
    term: '',
  })
})
