import { expect, it } from 'vitest'
import { FailureThrottle } from './failure-throttle.js'

it('logs the first failure at once, and the others of a minute as a number', () => {
  const throttle = new FailureThrottle()
  const lines: (number | undefined)[] = []
  for (let at = 0; at < 60_000; at += 10) lines.push(throttle.failed(at))
  expect(lines.filter((count) => count !== undefined)).toEqual([1])
  expect(throttle.failed(60_000)).toBe(6000)
})
