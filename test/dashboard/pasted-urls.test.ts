import { expect, it } from 'vitest'
import { urlsIn } from '../../web/src/shell/pasted-urls.js'

it.each([
  ['a URL alone', ' https://example.com/a?b=1,2\n', ['https://example.com/a?b=1,2']],
  ['a list', 'https://example.com/a\r\nhttp://example.com/b\n', ['https://example.com/a', 'http://example.com/b']],
  [
    'two columns',
    'One\thttps://example.com/1\nTwo\thttps://example.com/2',
    ['https://example.com/1', 'https://example.com/2'],
  ],
  [
    'separators',
    '"https://example.com/1", <https://example.com/2>;',
    ['https://example.com/1', 'https://example.com/2'],
  ],
  [
    'each once',
    'https://example.com/1 https://example.com/1 https://example.com/2',
    ['https://example.com/1', 'https://example.com/2'],
  ],
  ['a URL within a sentence', 'see https://example.com/1 for more', []],
  ['no URL', 'example, https:// and words', []],
])('finds the URLs of a pasted text: %s', (_, text, urls) => {
  expect(urlsIn(text)).toEqual(urls)
})
