import { describe, expect, it } from 'vitest'
import { Block, BlockCache, packed, splitIntoBlocks } from './block.js'

const facts = { first: 100, count: 3, at: 1_700_000_000_123, deferredUntil: 0 }

describe('a block', () => {
  it('finds each message by its position', () => {
    const bodies = ['one', '', 'three'].map((text) => Buffer.from(text))
    const block = new Block(facts, packed(bodies))
    const found = [100, 101, 102].map((position) => {
      const { start, end } = block.range(position)
      return block.bytes.toString('latin1', start, end)
    })
    expect(found).toEqual(['one', '', 'three'])
    expect(block.last).toBe(102)
    expect(block.time.readBigInt64BE()).toBe(1_700_000_000_123_000_000n)
    for (const position of [99, 103]) expect(() => block.range(position)).toThrow(RangeError)
  })

  it('is cut where it would be too long to read at once, and keeps the order', () => {
    const small = Array.from({ length: 1200 }, (_, index) => Buffer.from(String(index)))
    expect([...splitIntoBlocks(small)].map(({ length }) => length)).toEqual([512, 512, 176])
    expect([...splitIntoBlocks(small)].flat()).toEqual(small)
    const large = Array.from({ length: 3 }, () => Buffer.alloc(200_000))
    expect([...splitIntoBlocks(large)].map(({ length }) => length)).toEqual([1, 1, 1])
    expect([...splitIntoBlocks([])]).toEqual([])
  })
})

describe('the cache of blocks', () => {
  const aBlock = (first: number, size = 100): Block =>
    new Block({ ...facts, first, count: 1 }, packed([Buffer.alloc(size - 4)]))

  it('keeps to its size, and drops what was not used for longest', () => {
    const cache = new BlockCache(300)
    for (const first of [1, 2, 3]) cache.add(7, aBlock(first))
    expect(cache.get(7, 1)?.first).toBe(1)
    cache.add(8, aBlock(1))
    expect([cache.get(7, 1), cache.get(7, 2), cache.get(7, 3), cache.get(8, 1)].map((block) => block?.first)).toEqual([
      1,
      undefined,
      3,
      1,
    ])
  })

  it('forgets what is gone from the log, in that topic', () => {
    const cache = new BlockCache(1000)
    for (const topic of [1, 2]) for (const first of [1, 2, 3]) cache.add(topic, aBlock(first))
    cache.forget(1, 3)
    expect([1, 2, 3].map((first) => cache.get(1, first)?.first)).toEqual([undefined, undefined, 3])
    expect(cache.get(2, 1)?.first).toBe(1)
  })
})
