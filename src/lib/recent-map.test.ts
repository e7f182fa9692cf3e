import { expect, it } from 'vitest'
import { RecentMap } from './recent-map.js'

it('never holds more than its size and keeps what is used', () => {
  const map = new RecentMap<number, string>(10)
  map.set(0, 'hot')
  for (let key = 1; key <= 100; key++) {
    map.set(key, `value ${key}`)
    expect(map.get(0)).toBe('hot')
  }
  const held = Array.from({ length: 101 }, (_, key) => map.get(key)).filter((value) => value !== undefined)
  expect(held.length).toBeLessThanOrEqual(10)
  expect(map.get(100)).toBe('value 100')
})

it('forgets a key in both generations', () => {
  const map = new RecentMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.delete('a')
  map.delete('b')
  expect([map.get('a'), map.get('b')]).toEqual([undefined, undefined])
})
