import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PeriodicTask } from './periodic-task.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is done once per interval, never twice at a time', async () => {
  const finish: (() => void)[] = []
  const task = new PeriodicTask(100, () => new Promise<void>((done) => finish.push(done)))
  expect(finish).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(350)
  expect(finish).toHaveLength(1)
  finish[0]?.()
  await vi.advanceTimersByTimeAsync(100)
  expect(finish).toHaveLength(2)
  finish[1]?.()
  await task.close()
})

it('continues after a failure, which it reports', async () => {
  const failures: unknown[] = []
  const task = new PeriodicTask(
    100,
    () => Promise.reject(new Error('no')),
    (error) => failures.push(error),
  )
  await vi.advanceTimersByTimeAsync(250)
  expect(failures).toEqual([new Error('no'), new Error('no')])
  await task.close()
})

it('is told to stop, and close waits for it', async () => {
  const events: string[] = []
  const task = new PeriodicTask(100, async (signal) => {
    await new Promise((done) => signal.addEventListener('abort', done))
    events.push('stopped')
  })
  void task.now()
  await task.close()
  events.push('closed')
  await vi.advanceTimersByTimeAsync(500)
  expect(events).toEqual(['stopped', 'closed'])
})
