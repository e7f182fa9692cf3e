import { describe, expect, it } from 'vitest'
import type { Link } from './link.js'
import { plainValues } from './link-fields.js'
import { asciiPart, leadsTo, mentions, parseDestination, wordsOf } from './search.js'

describe('words', () => {
  it.each([
    ['Spring sale', ['spring', 'sale']],
    ['  a\t A  b ', ['a', 'b']],
    ['', []],
    ['   ', []],
  ])('are read from %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it('are at most ten', () => {
    expect(wordsOf('1 2 3 4 5 6 7 8 9 10')).toHaveLength(10)
    expect(() => wordsOf('1 2 3 4 5 6 7 8 9 10 11')).toThrow('at most 10 words')
    expect(() => wordsOf('again '.repeat(11))).toThrow('at most 10 words')
  })

  it('have at most 64 characters', () => {
    expect(wordsOf('x'.repeat(64))).toHaveLength(1)
    // In lower case it has twice as many characters.
    expect(wordsOf('İ'.repeat(64))).toHaveLength(1)
    expect(() => wordsOf(`a ${'x'.repeat(65)}`)).toThrow('at most 64 characters')
    expect(() => wordsOf(' '.repeat(50_001))).toThrow('at most 64 characters')
  })

  const link: Link = {
    id: 'sho.rt/AbC1234',
    domain: 'sho.rt',
    hash: 'AbC1234',
    groupGuid: 'B1',
    longUrl: 'https://xn--bcher-kva.example.com/Products/%C3%9Cber%ff?id=7',
    ...plainValues,
    title: 'Frühjahr ÄPFEL',
    note: 'Ask Grace',
    archived: false,
    createdAt: 1,
    modifiedAt: 1,
    createdBy: 'ada',
    clientId: undefined,
    deletedAt: undefined,
    edited: true,
    keywords: ['sho.rt/Apple-Sale'],
    tags: ['Fruit'],
    deeplinks: [],
    routing: [],
    campaignGuids: [],
    qrCodeIds: [],
    hidden: false,
    siteGuid: undefined,
    siteGuids: [],
  }

  it.each([
    'frühjahr',
    'äpfel',
    'a\u0308pfel',
    'A\u0308PFEL',
    'bücher',
    'BÜCHER.example',
    'xn--b',
    'über',
    '%c3%9cber',
    'products',
    'id=7',
    'abc1',
    'apple-s',
    'fruit',
    'fruit abc äp',
    'grace fruit',
    '',
  ])('of %j occur in title, note, long URL, back-half or tag, in any case', (query) => {
    expect(mentions(link, wordsOf(query))).toBe(true)
  })

  it.each(['sho.rt', 'pear', 'fruit pear', 'ada'])('of %j do not occur', (query) => {
    expect(mentions(link, wordsOf(query))).toBe(false)
  })
})

describe('the sure part of a word', () => {
  it.each([
    ['products', 'products'],
    ['id=7', 'id=7'],
    ['bücher', 'cher'],
    // Punycode rearranges the letters of a host name: xn--bcher-kva.example.
    ['bücher.example', 'example'],
    ['日本', ''],
    ['i\u0307stanbul', 'stanbul'],
  ])('of %j is %j', (word, part) => expect(asciiPart(word)).toBe(part))
})

describe('a destination', () => {
  it.each([
    ['example.com', { host: 'example.com', path: '' }],
    ['Example.COM/Blog', { host: 'example.com', path: '/blog' }],
    ['/blog', { host: '', path: '/blog' }],
    ['https://example.com:8080/blog?a=1#b', { host: 'example.com', path: '/blog' }],
    ['example.com?a=1', { host: 'example.com', path: '' }],
    ['.example.com.', { host: 'example.com', path: '' }],
    [' münchen.example/Straße ', { host: 'xn--mnchen-3ya.example', path: '/stra%c3%9fe' }],
    ['exa mple', { host: 'exa mple', path: '' }],
  ])('is read from %j', (text, destination) => {
    expect(parseDestination(text)).toEqual(destination)
  })

  it('has at most 2048 characters', () => {
    expect(() => parseDestination('x'.repeat(2049))).toThrow('at most 2048 characters')
  })

  it.each(['https://', '?a=1', '#', ' ', '.'])('is not in %j', (text) => {
    expect(() => parseDestination(text)).toThrow('Send a host name')
  })

  it.each([
    ['https://example.com/', 'example.com'],
    ['https://www.shop.example.com/a', 'example.com'],
    ['http://example.com:8080/a', 'example.com'],
    ['https://example.com./a', 'example.com'],
    ['https://example.com/Blog/post', 'EXAMPLE.com/blog'],
    ['https://www.example.com/blog', 'example.com/blog'],
    ['https://elsewhere.test/blog', '/blog'],
    ['https://xn--mnchen-3ya.example/', 'München.example'],
  ])('%s is found by %j', (longUrl, text) => {
    expect(leadsTo(longUrl, parseDestination(text))).toBe(true)
  })

  it.each([
    ['https://notexample.com/', 'example.com'],
    ['https://example.com.elsewhere.test/', 'example.com'],
    ['https://elsewhere.test/?to=example.com/', 'example.com'],
    ['https://archive.test/web/www.example.com/blog', 'example.com/blog'],
    ['https://example.com/news/blog', 'example.com/blog'],
    ['https://example.com/?to=/blog', '/blog'],
    ['https://example.com/#/blog', '/blog'],
    ['https://example.com/', 'com/example'],
  ])('%s is not found by %j', (longUrl, text) => {
    expect(leadsTo(longUrl, parseDestination(text))).toBe(false)
  })
})
