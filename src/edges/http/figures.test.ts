import { expect, it } from 'vitest'
import { Histogram } from './figures.js'

it('counts each duration in the first bucket that is long enough', () => {
  const histogram = new Histogram()
  for (const milliseconds of [0, 0.1, 0.11, 1, 3, 10_000, 10_001]) histogram.observe(milliseconds)
  const counted = Histogram.bounds.map((bound, index) => [bound, histogram.counts[index]] as const)
  expect(counted.filter(([, count]) => count !== 0)).toEqual([
    [0.0001, 2],
    [0.00025, 1],
    [0.001, 1],
    [0.005, 1],
    [10, 1],
  ])
  expect(histogram.counts.at(-1)).toBe(1)
  expect(histogram.sum).toBeCloseTo(20.005_21, 5)
})
