import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that is reachable or not, and a breaker that asks it. */
function aServer() {
  const server = { isUp: true, asked: 0 }
  const changes: (string | undefined)[] = []
  const probe = async () => {
    server.asked += 1
    if (!server.isUp) throw new Error('still away')
  }
  const onChange = (failure: string | undefined) => changes.push(failure)
  return { server, changes, breaker: new CircuitBreaker({ pause: 1000, probe, onChange }) }
}

it('asks once a second while the circuit is open, tells of changes once, and closes it when the server is back', async () => {
  const { breaker, server, changes } = aServer()
  server.isUp = false
  breaker.failed('away')
  breaker.failed('away')
  expect(breaker.status).toMatchObject({ state: 'failing', failure: 'away' })
  await vi.advanceTimersByTimeAsync(3500)
  expect([server.asked, breaker.failure]).toEqual([3, 'still away'])
  server.isUp = true
  await vi.advanceTimersByTimeAsync(1000)
  expect(breaker.status).toMatchObject({ state: 'ok' })
  await vi.advanceTimersByTimeAsync(5000)
  expect([server.asked, changes, breaker.outages]).toEqual([4, ['away', undefined], 1])
})

it('asks before it opens on a suspicion', async () => {
  const { breaker, server, changes } = aServer()
  breaker.suspect()
  await vi.advanceTimersByTimeAsync(0)
  expect([server.asked, changes]).toEqual([1, []])
  server.isUp = false
  breaker.suspect()
  breaker.suspect()
  await vi.advanceTimersByTimeAsync(0)
  expect([server.asked, changes]).toEqual([2, ['still away']])
})

it('rejects what waits when the circuit opens, and nothing that was answered', async () => {
  const { breaker } = aServer()
  const answered = breaker.guard(Promise.resolve('answer'))
  await answered
  const waiting = breaker.guard(new Promise(() => {}))
  breaker.failed('away')
  await expect(waiting).rejects.toThrow('away')
  await expect(answered).resolves.toBe('answer')
  await expect(breaker.guard(Promise.reject(new Error('of the work')))).rejects.toThrow('of the work')
})

it('knows nothing of a server that nobody used, and stops asking when it is closed', async () => {
  const { breaker, server } = aServer()
  expect(breaker.status).toEqual({ state: 'unused' })
  server.isUp = false
  breaker.failed('away')
  breaker.close()
  await vi.advanceTimersByTimeAsync(5000)
  expect(server.asked).toBe(0)
})
