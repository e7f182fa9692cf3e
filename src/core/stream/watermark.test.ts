import { describe, expect, it } from 'vitest'
import { maxTransactionWait, Watermark } from './watermark.js'

const start = 1_700_000_000_000
const second = 1_000
const minute = 60 * second

/** Looks twice a second from one moment to another, and answers what the last look did. */
function lookUntil(watermark: Watermark, from: number, to: number, openSince?: number): number {
  let settled = Number.NaN
  for (let now = from; now <= to; now += 500)
    settled = watermark.update(now, openSince === undefined ? 0 : now - openSince)
  return settled
}

describe('settling', () => {
  it('is a minute behind when nothing is open, from the first look on', () => {
    const watermark = new Watermark(start)
    expect(watermark.update(start, 0)).toBe(start - minute)
    const settled = lookUntil(watermark, start + 500, start + 10 * minute)
    expect(start + 10 * minute - settled).toBeLessThanOrEqual(minute)
    expect(start + 10 * minute - settled).toBeGreaterThan(minute - second)
  })

  it('waits for a change for as long as it is open, and half a minute more, for it may be tried again', () => {
    const watermark = new Watermark(start)
    const began = start + 2 * minute
    lookUntil(watermark, start, began)
    expect(lookUntil(watermark, began, began + 5 * minute, began)).toBeLessThanOrEqual(began - 30 * second)
    const ended = began + 5 * minute + 500
    expect(lookUntil(watermark, ended, ended + 29 * second)).toBeLessThanOrEqual(began - 30 * second)
    expect(lookUntil(watermark, ended + 29 * second, ended + 2 * minute)).toBeGreaterThan(ended)
  })

  it('waits for no change longer than ten minutes', () => {
    const watermark = new Watermark(start)
    const now = start + 60 * minute
    const settled = lookUntil(watermark, start, now, start)
    expect(now - settled).toBeGreaterThanOrEqual(maxTransactionWait)
    expect(now - settled).toBeLessThanOrEqual(maxTransactionWait + minute)
    expect(watermark.update(now + 500, Number.POSITIVE_INFINITY)).toBeGreaterThan(start)
  })

  it('gives what was begun before the clock jumped half a minute of looks', () => {
    const watermark = new Watermark(start)
    lookUntil(watermark, start, start + minute)
    const woken = start + 8 * 60 * minute
    expect(lookUntil(watermark, woken, woken + 29 * second)).toBeLessThan(start + minute)
    expect(lookUntil(watermark, woken + 29 * second, woken + 2 * minute)).toBeGreaterThan(woken)
  })
})
