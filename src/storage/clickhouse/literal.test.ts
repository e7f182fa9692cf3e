import { describe, expect, it } from 'vitest'
import { identifier, literal, wellFormed } from './literal.js'

describe('a literal', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['', "''"],
    ['sho.rt/a', "'sho.rt/a'"],
    ["it's", "'it\\'s'"],
    ['\\', "'\\\\'"],
    ["\\'; DROP TABLE clicks; --", "'\\\\\\'; DROP TABLE clicks; --'"],
    ['a\u0000b\n\t\u007f', "'a\\x00b\\x0a\\x09\\x7f'"],
    ['{name:String} ? $1 %', "'{name:String} ? $1 %'"],
    ['日本語 😀', "'日本語 😀'"],
    ['\ud800x', "'\ufffdx'"],
  ]
  it.each(texts)('of %j contains only the text', (text, expected) => {
    expect(literal(text)).toBe(expected)
  })

  it('ends where the text ends, for any text', () => {
    for (let code = 0; code < 0x250; code++) {
      const inside = literal(String.fromCharCode(code).repeat(2)).slice(1, -1)
      // Without escape sequences, neither quote nor backslash remains.
      expect(inside.replace(/\\(x[0-9a-f]{2}|['\\])/g, '')).not.toMatch(/['\\]/)
    }
  })
})

describe('an identifier', () => {
  it('is quoted', () => expect(identifier('short_link-2')).toBe('`short_link-2`'))

  it.each(['', 'a`b', 'a.b', 'a b', "a'", 'ä', 'x'.repeat(101)])('cannot be %j', (name) => {
    expect(() => identifier(name)).toThrow('Invalid database, table or cluster name')
  })
})

it('replaces lone surrogates by U+FFFD and keeps pairs', () => {
  expect([wellFormed('\udc00'), wellFormed('😀'), wellFormed('a')]).toEqual(['\ufffd', '😀', 'a'])
})
