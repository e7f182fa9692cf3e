import { expect, it } from 'vitest'
import { FailureThrottle, FailureThrottles } from './failure-throttle.js'

it('logs the first failure at once, and the others of a minute as a number', () => {
  const throttle = new FailureThrottle()
  const lines: (number | undefined)[] = []
  for (let at = 0; at < 60_000; at += 10) lines.push(throttle.failed(at))
  expect(lines.filter((count) => count !== undefined)).toEqual([1])
  expect(throttle.failed(60_000)).toBe(6000)
})

it('logs the first failure of each message', () => {
  const lines: unknown[] = []
  const warn = new FailureThrottles().of((fields, message) => lines.push([fields, message]))
  for (const message of ['one', 'two', 'one']) warn({ reason: 'away' }, message)
  expect(lines).toEqual([
    [{ reason: 'away', failures: 1 }, 'one'],
    [{ reason: 'away', failures: 1 }, 'two'],
  ])
})
