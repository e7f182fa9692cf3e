import { describe, expect, it } from 'vitest'
import { RecentWords } from './recent-words.js'

describe('RecentWords', () => {
  it('finds a value by its four words and by no others', () => {
    const words = new RecentWords<number>(100)
    words.set('Berlin', '', 'Berlin', 'DE', 1)
    words.set('', 'Berlin', 'Berlin', 'DE', 2)
    words.set('Munich', '', 'Bavaria', 'DE', 3)
    words.set('', '', '', '', 4)
    expect(words.get('Berlin', '', 'Berlin', 'DE')).toBe(1)
    expect(words.get('', 'Berlin', 'Berlin', 'DE')).toBe(2)
    expect(words.get('', '', '', '')).toBe(4)
    expect(words.get('Berlin', '', 'Bavaria', 'DE')).toBeUndefined()
    expect(words.get('', '', 'Berlin', 'DE')).toBeUndefined()
    words.set('Berlin', '', 'Berlin', 'DE', 5)
    expect(words.get('Berlin', '', 'Berlin', 'DE')).toBe(5)
    expect(words.get('', 'Berlin', 'Berlin', 'DE')).toBe(2)
  })

  it('keeps what is used and drops what is not, within its size', () => {
    const words = new RecentWords<number>(10)
    for (let number = 0; number < 100; number++) {
      words.set('', '', '', String(number), number)
      expect(words.get('', '', '', '0')).toBe(0)
    }
    const kept = Array.from({ length: 100 }, (_, number) => words.get('', '', '', String(number)))
    expect(kept.filter((value) => value !== undefined).length).toBeLessThanOrEqual(10)
  })

  it('forgets a key that is deleted, and no other', () => {
    const words = new RecentWords<number>(4)
    const keys = ['c', 'd', 'e'] as const
    for (const [index, third] of keys.entries()) words.set('a', 'b', third, '', index)
    words.delete('a', 'b', 'c', '')
    words.delete('a', 'x', 'd', '')
    expect(keys.map((third) => words.get('a', 'b', third, ''))).toEqual([undefined, 1, 2])
  })
})
