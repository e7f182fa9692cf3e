import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connections, type Entry } from './connections.js'

describe('Connections', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const two = () => new Connections({ max: 2, networks: [], timeout: 250 })
  const enter = (connections: Connections, connection: object = {}, network = 'here') =>
    connections.enter(network, connection, 2)
  /** What has become of each, by name, in the order in which it happened. */
  function follow(entries: Readonly<Record<string, Entry>>): string[] {
    const happened: string[] = []
    for (const [name, { admitted }] of Object.entries(entries)) {
      admitted?.then(
        () => happened.push(name),
        () => happened.push(`not ${name}`),
      )
    }
    return happened
  }
  const turns = () => vi.advanceTimersByTimeAsync(0)

  it('counts a connection once, however many requests it carries', () => {
    const connections = two()
    const pipelined = {}
    for (let each = 0; each < 8; each++) expect(enter(connections, pipelined).admitted).toBeUndefined()
    expect(enter(connections).admitted).toBeUndefined()
    expect(enter(connections).admitted).toBeDefined()
    expect(enter(connections, {}, 'elsewhere').admitted).toBeUndefined()
  })

  it('gives places to who waits in the order in which they came, and a place back with its last request', async () => {
    const connections = two()
    const pipelined = {}
    const [one, other, third] = [enter(connections, pipelined), enter(connections, pipelined), enter(connections)]
    const happened = follow({ a: enter(connections), b: enter(connections), c: enter(connections) })
    one.leave()
    await turns()
    expect(happened).toEqual([])
    other.leave()
    await turns()
    expect(happened).toEqual(['a'])
    third.leave()
    await turns()
    expect(happened).toEqual(['a', 'b'])
  })

  it('lets all requests of a waiting connection in together', async () => {
    const connections = two()
    const [first] = [enter(connections), enter(connections)]
    const waiting = {}
    const a = enter(connections, waiting)
    const b = enter(connections, waiting)
    const happened = follow({ a, b, c: enter(connections) })
    first?.leave()
    await turns()
    expect(happened).toEqual(['a', 'b'])
    a.leave()
    await turns()
    expect(happened).toEqual(['a', 'b'])
    b.leave()
    await turns()
    expect(happened).toEqual(['a', 'b', 'c'])
  })

  it('refuses who has waited for a quarter of a second, and says when to try again', async () => {
    const connections = two()
    enter(connections)
    enter(connections)
    const waiting = enter(connections)
    const refused = expect(waiting.admitted).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringContaining('Your network has requests in progress on 2 connections, which is the maximum.'),
      details: { retryAfter: 1, rate: { reason: 'concurrent connections', limit: 2 } },
    })
    await vi.advanceTimersByTimeAsync(249)
    expect(connections.refused).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await refused
    expect(connections.refused).toBe(1)
    // Its answer is sent, which must not free a place of others.
    waiting.leave()
    expect(enter(connections).admitted).toBeDefined()
  })

  it('gives nothing to who went away while waiting, and refuses them no more', async () => {
    const connections = two()
    const [first] = [enter(connections), enter(connections)]
    const gone = enter(connections)
    const happened = follow({ gone, next: enter(connections) })
    gone.leave()
    gone.leave()
    first?.leave()
    first?.leave()
    await turns()
    expect(happened).toEqual(['not gone', 'next'])
    await vi.advanceTimersByTimeAsync(250)
    expect(connections.refused).toBe(0)
    expect(enter(connections).admitted).toBeDefined()
  })

  it('lets no more than a few hundred wait', () => {
    const connections = two()
    enter(connections)
    enter(connections)
    for (let each = 0; each < 200; each++) enter(connections).admitted?.catch(() => {})
    expect(() => enter(connections)).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }))
    expect(connections.refused).toBe(1)
  })
})
