import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TurnClock } from './turn-clock.js'

it('begins anew with each turn of the event loop, and not with each promise', async () => {
  const clock = new TurnClock()
  expect(clock.elapsed).toBe(0)
  for (const begun = performance.now(); performance.now() - begun < 2; ) await Promise.resolve()
  expect(clock.elapsed).toBeGreaterThanOrEqual(2)
  await nextTurn()
  expect(clock.elapsed).toBe(0)
})
