import { describe, expect, it } from 'vitest'
import { curveThrough } from './curve.js'

function through(...ys: readonly number[]): string {
  return curveThrough(ys.map((y, at) => ({ x: 3 * at, y })))
}

/** Ends and control points of each piece. */
function piecesOf(path: string): readonly (readonly number[])[] {
  return path
    .split('C')
    .slice(1)
    .map((piece) => piece.split(',').map(Number))
}

describe('a smooth line', () => {
  it('is nothing without points, a start with one, and straight between two', () => {
    expect(through()).toBe('')
    expect(through(5)).toBe('M0,5')
    expect(through(0, 6)).toBe('M0,0C1,2,2,4,3,6')
  })

  it('bends at a point by the points beside it', () => {
    expect(through(0, 3, 12)).toBe('M0,0C1,0.5,2,1,3,3C4,5,5,8.5,6,12')
  })

  it('lies flat at the highest point and the lowest', () => {
    const [, second, third] = piecesOf(through(9, 0, 9, 1))
    expect(second?.slice(1, 4)).toEqual([0, 5, 9])
    expect(third?.[1]).toBe(9)
  })

  it('never leaves the range of the points that it connects', () => {
    const ys = [0, 0, 1, 40, 0, 0, 7, 8, 8, 100, 99, 0]
    for (const [at, [, leave = 0, , arrive = 0]] of piecesOf(through(...ys)).entries()) {
      const range = [ys[at] ?? 0, ys[at + 1] ?? 0]
      for (const y of [leave, arrive]) {
        expect(y).toBeGreaterThanOrEqual(Math.min(...range))
        expect(y).toBeLessThanOrEqual(Math.max(...range))
      }
    }
  })

  it('takes points that are not equally far apart', () => {
    const path = curveThrough([
      { x: 0, y: 0 },
      { x: 3, y: 3 },
      { x: 9, y: 3 },
    ])
    expect(path).toBe('M0,0C1,1.5,2,3,3,3C5,3,7,3,9,3')
  })
})
