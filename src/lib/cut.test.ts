import { describe, expect, it } from 'vitest'
import { cutTo } from './cut.js'

describe('cutting a text to so many bytes', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['', 0, ''],
    ['üüü', 6, 'üüü'],
    ['üüü', 5, 'üü'],
    ['a€b', 3, 'a'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['😀'.repeat(400), 1024, '😀'.repeat(256)],
  ])('%j to %i', (text, bytes, cut) => {
    expect(cutTo(text, bytes)).toBe(cut)
    expect(Buffer.byteLength(cutTo(text, bytes))).toBeLessThanOrEqual(bytes)
  })
})
