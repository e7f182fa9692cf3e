import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function aBreaker() {
  const changes: (string | undefined)[] = []
  return { changes, breaker: new CircuitBreaker({ pause: 1000, onChange: (failure) => changes.push(failure) }) }
}

it('lets everybody try until something fails, and then one a second', () => {
  const { breaker } = aBreaker()
  expect([breaker.mayTry(), breaker.mayTry()]).toEqual([true, true])
  breaker.failed('away')
  expect(breaker.mayTry()).toBe(false)
  vi.advanceTimersByTime(1000)
  expect([breaker.mayTry(), breaker.mayTry()]).toEqual([true, false])
  breaker.failed('still away')
  vi.advanceTimersByTime(999)
  expect(breaker.mayTry()).toBe(false)
})

it('lets everybody through again after a success, and tells of changes once', () => {
  const { breaker, changes } = aBreaker()
  breaker.failed('away')
  breaker.failed('away')
  vi.advanceTimersByTime(1000)
  expect(breaker.mayTry()).toBe(true)
  breaker.succeeded()
  breaker.succeeded()
  expect([breaker.mayTry(), breaker.mayTry()]).toEqual([true, true])
  expect(changes).toEqual(['away', undefined])
})

it('lets another probe when one ends without a word', () => {
  const { breaker } = aBreaker()
  breaker.failed('away')
  vi.advanceTimersByTime(1000)
  expect(breaker.mayTry()).toBe(true)
  breaker.gaveUp()
  expect(breaker.mayTry()).toBe(true)
})
