import { describe, expect, it } from 'vitest'
import { closest, editDistance } from './suggestion.js'

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['pot', 'port', 1],
    ['ports', 'port', 1],
    ['kitten', 'sitting', 3],
  ])('%j to %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
    expect(editDistance(b, a)).toBe(distance)
  })
})

describe('closest', () => {
  const known = ['port', 'host', 'data-dir', 'base-url']
  it.each([
    ['prot', 'port'],
    ['datadir', 'data-dir'],
    ['BASE-URL', 'base-url'],
    ['database', undefined],
    ['x', undefined],
    ['foo', undefined],
  ])('%j means %j', (given, meant) => {
    expect(closest(given, known)).toBe(meant)
  })
})
