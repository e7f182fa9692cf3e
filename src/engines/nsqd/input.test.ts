import { describe, expect, it } from 'vitest'
import { Input } from './input.js'

describe('input', () => {
  it('gives lines, sizes and bodies once they are complete, in whatever pieces they come', () => {
    const bytes = Buffer.from('PUB topic\r\n\x00\x00\x00\x03abcNOP\n\n', 'latin1')
    for (let step = 1; step <= bytes.length; step++) {
      const input = new Input()
      const wanted = [
        () => input.line(),
        () => input.bytes(4)?.readInt32BE(0),
        () => input.bytes(3)?.toString(),
        () => input.line(),
      ]
      const found: unknown[] = []
      for (let at = 0; at < bytes.length; at += step) {
        input.push(bytes.subarray(at, at + step))
        for (let value = wanted[0]?.(); value !== undefined; value = wanted[0]?.()) {
          found.push(value)
          wanted.shift()
        }
      }
      expect(found).toEqual(['PUB topic', 3, 'abc', 'NOP'])
      expect(input.line()).toBe('')
      expect(input.length).toBe(0)
    }
  })

  it('knows a line that can never be a command', () => {
    const input = new Input()
    input.push(Buffer.alloc(16 * 1024 - 1, 'x'))
    expect(input.line()).toBeUndefined()
    input.push(Buffer.from('x'))
    expect(input.line()).toBe('too-long')
    const late = new Input()
    late.push(Buffer.from(`${'x'.repeat(20_000)}\n`))
    expect(late.line()).toBe('too-long')
  })

  it('forgets on demand', () => {
    const input = new Input()
    input.push(Buffer.of(0xff, 0xff, 0xff, 0xfe, 1))
    input.clear()
    expect(input.length).toBe(0)
    expect(input.bytes(1)).toBeUndefined()
  })
})
