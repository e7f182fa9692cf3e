import { describe, expect, it } from 'vitest'
import { readTitle, titleIsComplete } from './read-title.js'

const utf8 = 'text/html; charset=utf-8'

const pages: readonly (readonly [string, string, string | undefined])[] = [
  ['a plain title', '<html><head><title>Shoes</title>', 'Shoes'],
  ['attributes and capitals', '<TITLE lang="en" >Shoes</TITLE >', 'Shoes'],
  ['white space', '<title>\n  Red\t shoes \r\n</title>', 'Red shoes'],
  ['tags, which are text in a title', '<title>a <b>c</title>', 'a <b>c'],
  ['a comment before', '<!-- <title>old</title> --><title>new</title>', 'new'],
  ['a script before', '<script>"<title>no</title>"</script><title>yes</title>', 'yes'],
  ['a picture with a title of its own', '<svg><title>icon</title></svg><title>page</title>', 'page'],
  ['a title after the beginning of the body', '<body><title>late</title>', 'late'],
  ['two titles', '<title>one</title><title>two</title>', 'one'],
  ['no title', '<h1>Shoes</h1>', undefined],
  ['an empty title', '<title> \n </title>', undefined],
  ['a title without an end', '<title>Shoes', undefined],
  ['another element that begins alike', '<titles>no</titles>', undefined],
  ['nothing', '', undefined],
  [
    'joined characters, of which emoji and words of some scripts are made',
    '<title>👨\u200d👩 می\u200cخواهم</title>',
    '👨\u200d👩 می\u200cخواهم',
  ],
  ['nothing but joiners', '<title>\u200c \u200d</title>', undefined],
  ['a body whose tag does not end', '<body/<body <title>late</title>', 'late'],
  ['invisible characters', '<title>a\u200bb\u0000c\u202ed</title>', 'ab cd'],
]

const entities: readonly (readonly [string, string])[] = [
  ['a &amp; b', 'a & b'],
  ['&lt;b&gt; &quot;x&quot; &apos;y&#39;', `<b> "x" 'y'`],
  ['caf&eacute; &ndash; 5&nbsp;&euro;', 'café – 5 €'],
  ['&yuml;&Agrave;&divide;', 'ÿÀ÷'],
  ['&#8211; &#x2014; &#X1F600;', '– — 😀'],
  ['&#150;', '–'],
  ['&unknown; &; & &#; &#xzz;', '&unknown; &; & &#; &#xzz;'],
  ['&amp;lt;', '&lt;'],
  ['&#xD800; &#1114112; &#0;', '\ufffd \ufffd \ufffd'],
  ['no&ampersand', 'no&ampersand'],
  ['&constructor;', '&constructor;'],
]

describe('readTitle', () => {
  it.each(pages)('reads %s', (_, html, title) => {
    expect(readTitle(Buffer.from(html), utf8)).toBe(title)
  })

  it.each(entities)('decodes %s', (html, title) => {
    expect(readTitle(Buffer.from(`<title>${html}</title>`), utf8)).toBe(title)
  })

  const latin = Buffer.from('<title>gr\xfc\xdfe \x96</title>', 'latin1')
  it.each([
    ['the header', 'text/html; charset=ISO-8859-1', latin],
    ['the header in quotes', 'text/html; charset="windows-1252"', latin],
    ['a meta element', 'text/html', Buffer.concat([Buffer.from('<meta charset=windows-1252>'), latin])],
    [
      'the older meta element',
      'text/html',
      Buffer.concat([Buffer.from(`<meta http-equiv="Content-Type" content='text/html; charset=latin1'>`), latin]),
    ],
    ['nothing, when it is no UTF-8', 'text/html', latin],
    ['an unknown name', 'text/html; charset=klingon', latin],
  ])('takes the charset from %s', (_, contentType, bytes) => {
    expect(readTitle(bytes, contentType)).toBe('grüße –')
  })

  it.each([
    ['text/html; charset=shift_jis', '<title>\x93\xfa\x96{</title>', '日本'],
    ['text/html; charset=gbk', '<title>\xd6\xd0\xce\xc4</title>', '中文'],
    ['text/html; charset=koi8-r', '<title>\xcd\xc9\xd2</title>', 'мир'],
  ])('knows %s', (contentType, bytes, title) => {
    expect(readTitle(Buffer.from(bytes, 'latin1'), contentType)).toBe(title)
  })

  it('believes a byte order mark before all else', () => {
    const bytes = Buffer.from('\ufeff<title>größe</title>', 'utf16le')
    expect(readTitle(bytes, 'text/html; charset=windows-1252')).toBe('größe')
  })

  it('is not led astray by a character cut in half at the end', () => {
    const bytes = Buffer.from('<title>größe</title>€').subarray(0, -1)
    expect(readTitle(bytes, 'text/html')).toBe('größe')
  })

  it('keeps 500 characters and cuts none in half', () => {
    expect(readTitle(Buffer.from(`<title>${'a'.repeat(500)}</title>`), utf8)).toBe('a'.repeat(500))
    expect(readTitle(Buffer.from(`<title>${'a'.repeat(501)}</title>`), utf8)).toBe(`${'a'.repeat(499)}…`)
    const long = readTitle(Buffer.from(`<title>a${'😀'.repeat(300)}</title>`), utf8)
    expect(long).toBe(`a${'😀'.repeat(249)}…`)
  })

  it.each([
    ['openings', '<title '.repeat(70_000)],
    ['comments', '<!--'.repeat(120_000)],
    ['scripts', '<script>'.repeat(60_000)],
    ['entities', `<title>${'&'.repeat(500_000)}</title>`],
    ['meta', '<meta '.repeat(80_000)],
    ['white space', `<title>${' '.repeat(500_000)}</title>`],
    ['bodies', `${'<body/'.repeat(300_000)}>`],
    ['white space in the header', '', `text/html; charset=${' '.repeat(500_000)};`],
  ])('gets to the end of half a megabyte of %s', (_, html, contentType = utf8) => {
    // With work that grows with the square of the length this would take longer than a test may.
    expect(readTitle(Buffer.from(html), contentType) ?? '').toMatch(/^&*…?$/)
  })
})

it('knows when a page can bring no title any more', () => {
  expect(titleIsComplete(Buffer.from('<head><title>a</title>'))).toBe(true)
  expect(titleIsComplete(Buffer.from('<head></head><body class="a">'))).toBe(true)
  expect(titleIsComplete(Buffer.from('<head><title>a'))).toBe(false)
})
