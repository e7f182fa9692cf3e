import { describe, expect, it } from 'vitest'
import { SizedMap } from './sized-map.js'

describe('a map of a bounded size', () => {
  it('drops what was not asked for the longest, as soon as it is too large', () => {
    const map = new SizedMap<string, number>(10)
    const kept = () => ['a', 'b', 'c'].filter((key) => map.get(key) !== undefined)
    map.set('a', 1, 4)
    map.set('b', 2, 4)
    map.set('a', 3, 6)
    expect(kept()).toEqual(['a', 'b'])
    expect(map.get('a')).toBe(3)
    map.set('c', 4, 1)
    expect(kept()).toEqual(['a', 'c'])
    map.set('c', 5, 11)
    expect(kept()).toEqual([])
    map.set('b', 6, 10)
    expect(kept()).toEqual(['b'])
  })
})
