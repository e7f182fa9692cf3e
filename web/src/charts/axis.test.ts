import { expect, it } from 'vitest'
import { ticksTo } from './axis.js'

it.each([
  [0, [0, 1, 2, 3, 4]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [9, [0, 5, 10]],
  [39, [0, 10, 20, 30, 40]],
  [1234, [0, 500, 1000, 1500]],
])('has about four round steps up to %d', (highest, ticks) => {
  expect(ticksTo(highest)).toEqual(ticks)
})
