import { expect, it } from 'vitest'
import { ClockWatch, jumpText } from './clock-watch.js'

it('tells when the clock is set by more than a minute, ahead and back, for an hour', () => {
  const time = { day: 1_800_000_000_000, steady: 0 }
  const told: number[] = []
  const watch = new ClockWatch(
    ({ by }) => told.push(by),
    () => time.day,
    () => time.steady,
  )
  const pass = (milliseconds: number, jump = 0) => {
    time.day += milliseconds + jump
    time.steady += milliseconds
    watch.check()
  }
  pass(10_000)
  pass(10_000, 59_000)
  expect(watch.jump).toBeUndefined()
  const month = 30 * 86_400_000
  pass(10_000, month)
  pass(10_000)
  expect(jumpText(watch.jump ?? { by: 0, at: 0 })).toMatch(/^it went ahead by 30 days at 2027-/)
  pass(10_000, -month)
  expect(told).toEqual([month, -month])
  pass(59 * 60_000)
  expect(watch.jump?.by).toBe(-month)
  pass(60_000)
  expect(watch.jump).toBeUndefined()
  watch.close()
})
