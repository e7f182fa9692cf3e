import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { HttpActivity } from './http-activity.js'

it('tells the other thread what was written, also before it began to wait', async () => {
  const http = new HttpActivity()
  const other = new HttpActivity(http.shared)
  const seen = other.writes
  const later = new Promise<void>((wake) => other.onWriteAfter(seen, wake, 60_000))
  http.wrote()
  await later
  await new Promise<void>((wake) => other.onWriteAfter(seen, wake, 60_000))
  let woken = false
  const wake = () => {
    woken = true
  }
  other.onWriteAfter(other.writes, wake, 60_000)
  await setTimeout(10)
  expect(woken).toBe(false)
  http.wrote()
  await expect.poll(() => woken).toBe(true)
})

it('is busy only while a busy thread writes', async () => {
  const http = new HttpActivity()
  const other = new HttpActivity(http.shared)
  expect(other.isBusy()).toBe(false)
  const began = performance.now()
  while (performance.now() - began < 400) http.wrote()
  expect(other.isBusy()).toBe(true)
  await expect.poll(() => other.isBusy(), { timeout: 60_000 }).toBe(false)
})
