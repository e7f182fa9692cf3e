import { expect, it } from 'vitest'
import type { Target } from './link.js'
import { resolve, Targets } from './targets.js'

it('asks the store once for callers that miss together, and then answers from memory', async () => {
  const { targets, asked } = withStore(() => aTarget())
  await Promise.all([targets.load('d/a'), targets.load('d/a'), targets.load('d/a')])
  expect(asked()).toBe(1)
  expect(targets.peek('d/a', 0)?.longUrl).toBe('https://example.com/')
})

it('remembers that an address does not exist', async () => {
  const { targets } = withStore(() => undefined)
  await targets.load('d/none')
  expect(targets.peek('d/none', 0)).toBeNull()
})

it('does not remember an answer that was on its way when the address was forgotten', async () => {
  const { targets } = withStore(() => aTarget())
  const loading = targets.load('d/a')
  targets.forget('d/a')
  await loading
  expect(targets.peek('d/a', 0)).toBeUndefined()
})

it('asks again after a minute where news of other processes can be lost', async () => {
  const { targets } = withStore(() => aTarget())
  await targets.load('d/a')
  expect(targets.peek('d/a', 59_999)).toBeDefined()
  expect(targets.peek('d/a', 60_000)).toBeUndefined()
})

it('forgets everything when another process may have changed anything, at the latest a millisecond later', async () => {
  const { targets, elsewhere } = withStore(() => aTarget())
  await targets.load('d/a')
  expect(targets.peek('d/a', 0)).toBeDefined()
  elsewhere.at = 1
  expect(targets.peek('d/a', 1)).toBeUndefined()
  await targets.load('d/a')
  expect(targets.peek('d/a', 2)).toBeDefined()
})

it('forgets the addresses that another process names', async () => {
  const { targets, elsewhere } = withStore(() => aTarget())
  await Promise.all([targets.load('d/a'), targets.load('d/b')])
  elsewhere.tell(['d/a', 'd/c'])
  expect(targets.peek('d/a', 0)).toBeUndefined()
  expect(targets.peek('d/b', 0)).toBeDefined()
})

it('answers what it knew before for as long as the store is away, and asks again a second later', async () => {
  let broken = false
  const { targets, clock, elsewhere, asked } = withStore(() => {
    if (broken) throw new Error('store away')
    return aTarget()
  })
  await targets.load('d/a')
  broken = true
  clock.at = 60_000
  expect(targets.peek('d/a', clock.at)).toBeUndefined()
  expect((await targets.load('d/a'))?.address).toBe('d/a')
  expect(targets.peek('d/a', 60_999)).toBeDefined()
  expect(targets.peek('d/a', 61_000)).toBeUndefined()
  // Also when everything is to be asked for again.
  elsewhere.at = 1
  expect(targets.peek('d/a', 60_500)).toBeUndefined()
  expect((await targets.load('d/a'))?.address).toBe('d/a')
  expect(asked()).toBe(3)
})

it('does not bring back what was forgotten because it changed', async () => {
  let broken = false
  const { targets } = withStore(() => {
    if (broken) throw new Error('store away')
    return aTarget()
  })
  await targets.load('d/a')
  targets.forget('d/a')
  broken = true
  await expect(targets.load('d/a')).rejects.toThrow('store away')
})

it('passes a failing store on and asks again next time', async () => {
  let broken = true
  const { targets } = withStore(() => {
    if (broken) throw new Error('store away')
    return aTarget()
  })
  await expect(targets.load('d/a')).rejects.toThrow('store away')
  broken = false
  expect((await targets.load('d/a'))?.address).toBe('d/a')
})

it('tells deleted and expired apart, and expiry by the moment of the visit', () => {
  expect(resolve(null, 5)).toEqual({ outcome: 'missing' })
  expect(resolve(aTarget({ deletedAt: 1 }), 5)).toEqual({ outcome: 'gone', reason: 'deleted' })
  expect(resolve(aTarget({ expiresAt: 5 }), 5)).toEqual({ outcome: 'gone', reason: 'expired' })
  expect(resolve(aTarget({ expiresAt: 6 }), 5).outcome).toBe('redirect')
})

function withStore(answer: () => Target | undefined) {
  let count = 0
  const links = {
    target: async () => {
      count++
      return answer()
    },
  }
  const elsewhere = {
    at: 0,
    maxAge: 60_000,
    tell: (_: readonly string[]): void => {},
    version: () => elsewhere.at,
    onChange(listener: (addresses: readonly string[]) => void) {
      elsewhere.tell = listener
    },
  }
  const clock = { at: 0, now: () => clock.at }
  const targets = new Targets({ links, clock, elsewhere }, 10)
  return { targets, elsewhere, clock, asked: () => count }
}

function aTarget(change: Partial<Target> = {}): Target {
  return {
    address: 'd/a',
    linkId: 'd/a',
    groupGuid: 'B1',
    longUrl: 'https://example.com/',
    createdAt: 0,
    expiresAt: undefined,
    deletedAt: undefined,
    rules: undefined,
    ...change,
  }
}
