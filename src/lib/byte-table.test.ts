import { describe, expect, it } from 'vitest'
import { ByteTable } from './byte-table.js'

function numbersOf(table: ByteTable, texts: readonly string[]): readonly number[] {
  return texts.map((text) => {
    // In the middle of others, as they are in a file.
    const data = Buffer.from(`"${text}"`)
    const known = table.find(data, 1, data.length - 1)
    return known >= 0 ? known : table.add(data, 1, data.length - 1)
  })
}

describe('a table of bytes', () => {
  it('numbers what is new, and knows it again', () => {
    const table = new ByteTable()
    const texts = ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abce', 'bbcd', 'Köln', '\u0000', '\u0000\u0000']
    const numbers = texts.map((_, index) => index)
    expect(numbersOf(table, texts)).toEqual(numbers)
    expect(numbersOf(table, texts)).toEqual(numbers)
    expect(table.size).toBe(texts.length)
    expect(table.length).toBe(Buffer.byteLength(texts.join('')))
  })

  it('tells a hundred thousand apart', () => {
    const table = new ByteTable()
    const texts = Array.from({ length: 100_000 }, (_, index) => `https://example.com/${index}/page`)
    const numbers = texts.map((_, index) => index)
    expect(numbersOf(table, texts)).toEqual(numbers)
    expect(numbersOf(table, texts.toReversed())).toEqual(numbers.toReversed())
    const unknown = Buffer.from('https://example.com/100000/page')
    expect(table.find(unknown, 0, unknown.length)).toBe(-1)
  })

  it('knows nothing once it was cleared', () => {
    const table = new ByteTable()
    numbersOf(table, ['a', 'b', 'c'])
    table.clear()
    expect(table.find(Buffer.from('a'), 0, 1)).toBe(-1)
    expect([table.size, table.length]).toEqual([0, 0])
    expect(numbersOf(table, ['c', 'a', 'c'])).toEqual([0, 1, 0])
  })
})
