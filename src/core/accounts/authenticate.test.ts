import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '../values/refusal.js'
import type { TokenActor } from './account-store.js'
import { hashToken, TokenCheck } from './authenticate.js'

const someone: TokenActor = {
  tokenGuid: 'T123',
  actor: { login: 'ada', defaultGroupGuid: 'B1', clientId: undefined, groups: [], organizations: [] },
}

describe('TokenCheck', () => {
  let now = 1_000_000
  let questions = 0
  let failing = false
  const tokens = new Map<string, TokenActor>()
  const written: ReadonlyMap<string, number>[] = []
  const failures: unknown[] = []
  const deps = {
    clock: { now: () => now },
    onFailure: (error: unknown) => failures.push(error),
    accounts: {
      async actorByToken(secretHash: string) {
        questions++
        return tokens.get(secretHash)
      },
      async touchTokens(lastUsed: ReadonlyMap<string, number>) {
        if (failing) throw new Error('disk full')
        written.push(lastUsed)
      },
    },
  }

  beforeEach(() => {
    vi.useFakeTimers()
    now = 1_000_000
    questions = 0
    failing = false
    tokens.clear()
    tokens.set(hashToken('secret'), someone)
    written.length = 0
    failures.length = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('looks tokens up by the SHA-256 of the token', async () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect((await new TokenCheck(deps).authenticate('secret')).login).toBe('ada')
  })

  it('refuses unknown tokens, and asks again each time', async () => {
    const check = new TokenCheck(deps)
    await expect(check.authenticate('guess')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(check.authenticate('guess')).rejects.toBeInstanceOf(Refusal)
    expect(questions).toBe(2)
  })

  it('remembers an answer for ten seconds', async () => {
    const check = new TokenCheck(deps)
    await check.authenticate('secret')
    tokens.clear()
    now += 9_999
    await check.authenticate('secret')
    expect(questions).toBe(1)
    now += 1
    await expect(check.authenticate('secret')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('asks again when the clock was set back', async () => {
    const check = new TokenCheck(deps)
    await check.authenticate('secret')
    tokens.clear()
    now -= 3_600_000
    await expect(check.authenticate('secret')).rejects.toBeInstanceOf(Refusal)
  })

  it('stops accepting a revoked token at once', async () => {
    const check = new TokenCheck(deps)
    await check.authenticate('secret')
    tokens.clear()
    check.forget('T123')
    await expect(check.authenticate('secret')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('writes the times of last use once a minute and at the end', async () => {
    const check = new TokenCheck(deps)
    await check.authenticate('secret')
    now += 5
    await check.authenticate('secret')
    await vi.advanceTimersByTimeAsync(59_999)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual([new Map([['T123', 1_000_005]])])

    now += 100
    await check.authenticate('secret')
    await check.close()
    expect(written).toHaveLength(2)

    now += 100
    await check.authenticate('secret')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(written).toHaveLength(2)
  })

  it('reports a failed write and tries again', async () => {
    const check = new TokenCheck(deps)
    await check.authenticate('secret')
    failing = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(failures).toHaveLength(1)
    failing = false
    await check.close()
    expect(written).toEqual([new Map([['T123', 1_000_000]])])
  })
})
