import { expect, it, vi } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { Target } from './link.js'
import { RedirectCache, resolve } from './redirect-cache.js'

it('asks the store once for callers that miss together, and then answers from memory', async () => {
  const { redirectCache, asked } = withStore(() => aTarget())
  await Promise.all([redirectCache.load('d/a'), redirectCache.load('d/a'), redirectCache.load('d/a')])
  expect(asked()).toBe(1)
  expect(redirectCache.peek('d/a', 0)?.longUrl).toBe('https://example.com/')
})

it('remembers that an address does not exist', async () => {
  const { redirectCache } = withStore(() => undefined)
  await redirectCache.load('d/none')
  expect(redirectCache.peek('d/none', 0)).toBeNull()
})

it('does not remember an answer that was on its way when the address was forgotten', async () => {
  const { redirectCache } = withStore(() => aTarget())
  const loading = redirectCache.load('d/a')
  redirectCache.forget('d/a')
  await loading
  expect(redirectCache.peek('d/a', 0)).toBeUndefined()
})

it('asks again after a minute where news of other processes can be lost', async () => {
  const { redirectCache } = withStore(() => aTarget())
  await redirectCache.load('d/a')
  expect(redirectCache.peek('d/a', 59_999)).toBeDefined()
  expect(redirectCache.peek('d/a', 60_000)).toBeUndefined()
})

it('forgets everything when another process may have changed anything, at the latest a millisecond later', async () => {
  const { redirectCache, externalChanges } = withStore(() => aTarget())
  await redirectCache.load('d/a')
  expect(redirectCache.peek('d/a', 0)).toBeDefined()
  externalChanges.at = 1
  expect(redirectCache.peek('d/a', 1)).toBeUndefined()
  await redirectCache.load('d/a')
  expect(redirectCache.peek('d/a', 2)).toBeDefined()
})

it('asks at once for the new target of addresses that another process names', async () => {
  const { redirectCache, externalChanges, asked } = withStore(() => aTarget())
  await Promise.all([redirectCache.load('d/a'), redirectCache.load('d/b')])
  externalChanges.tell(['d/a', 'd/c'])
  expect(redirectCache.peek('d/a', 0)).toBeUndefined()
  expect(redirectCache.peek('d/b', 0)).toBeDefined()
  await vi.waitFor(() => expect(redirectCache.peek('d/a', 0)).toBeDefined(), 60_000)
  // Nobody asks for d/c, which nobody visited.
  expect(asked()).toBe(3)
})

it('answers with the former target of a changed link only while the store does not tell the new one', async () => {
  let broken = false
  let target = aTarget()
  const { redirectCache, externalChanges, clock } = withStore(() => {
    if (broken) throw new Error('store away')
    return target
  })
  await redirectCache.load('d/a')
  broken = true
  target = aTarget({ longUrl: 'https://example.com/new' })
  externalChanges.tell(['d/a'])
  expect((await redirectCache.load('d/a'))?.longUrl).toBe('https://example.com/')
  // Everything becomes stale while a visitor waits for a store that fails.
  clock.at = 1000
  const waiting = redirectCache.load('d/a')
  externalChanges.at = 1
  redirectCache.peek('d/a', clock.at)
  expect((await waiting)?.longUrl).toBe('https://example.com/')
  broken = false
  target = aTarget({ deletedAt: 5 })
  expect((await redirectCache.load('d/a'))?.deletedAt).toBe(5)
})

it('knows the last state of a link that changes again while it asks', async () => {
  let target = aTarget()
  const { redirectCache, externalChanges } = withStore(() => target)
  await redirectCache.load('d/a')
  for (const path of ['b', 'c']) {
    target = aTarget({ longUrl: `https://example.com/${path}` })
    externalChanges.tell(['d/a'])
  }
  await vi.waitFor(() => expect(redirectCache.peek('d/a', 0)?.longUrl).toBe('https://example.com/c'), 60_000)
})

it('does not call a new link unknown while the store is away', async () => {
  let broken = false
  const { redirectCache, externalChanges } = withStore(() => {
    if (broken) throw new Error('store away')
    return undefined
  })
  await redirectCache.load('d/a')
  broken = true
  externalChanges.tell(['d/a'])
  await expect(redirectCache.load('d/a')).rejects.toThrow('store away')
})

it('answers what it knew before for as long as the store is away, and asks again a second later', async () => {
  let broken = false
  const { redirectCache, clock, externalChanges, asked } = withStore(() => {
    if (broken) throw new Error('store away')
    return aTarget()
  })
  await redirectCache.load('d/a')
  broken = true
  clock.at = 60_000
  expect(redirectCache.peek('d/a', clock.at)).toBeUndefined()
  expect((await redirectCache.load('d/a'))?.address).toBe('d/a')
  expect(redirectCache.peek('d/a', 60_999)).toBeDefined()
  expect(redirectCache.peek('d/a', 61_000)).toBeUndefined()
  // Also after everything has become stale.
  externalChanges.at = 1
  expect(redirectCache.peek('d/a', 60_500)).toBeUndefined()
  expect((await redirectCache.load('d/a'))?.address).toBe('d/a')
  expect(asked()).toBe(3)
})

it('passes a failing store on and asks again next time', async () => {
  let broken = true
  const { redirectCache } = withStore(() => {
    if (broken) throw new Error('store away')
    return aTarget()
  })
  await expect(redirectCache.load('d/a')).rejects.toThrow('store away')
  broken = false
  expect((await redirectCache.load('d/a'))?.address).toBe('d/a')
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
  const externalChanges = {
    at: 0,
    maxAge: 60_000,
    tell: (_: readonly string[]): void => {},
    version: () => externalChanges.at,
    onChange(listener: (addresses: readonly string[]) => void) {
      externalChanges.tell = listener
    },
  }
  const clock = { at: 0, now: () => clock.at }
  const redirectCache = new RedirectCache({ links, clock, externalChanges }, 10)
  return { redirectCache, externalChanges, clock, asked: () => count }
}

const aTarget = sampleOf<Target>({
  address: 'd/a',
  linkId: 'd/a',
  groupGuid: 'B1',
  longUrl: 'https://example.com/',
  createdAt: 0,
  expiresAt: undefined,
  deletedAt: undefined,
  rules: undefined,
})
