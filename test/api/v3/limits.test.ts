import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../support/start-app.js'
import { asking } from './ask.js'

describe('limits in v3', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-v3-plans-'))
  let started: StartedApp
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    const plans = join(folder, 'plans.json')
    writeFileSync(plans, JSON.stringify({ small: { limits: { encodes: 2 }, features: [] } }))
    const endpointLimits = [{ endpoint: 'GET /v3/link/lookup', perHour: 10 }]
    started = await startApp({ plans, defaultPlan: 'small', endpointLimits })
    v3 = asking(started)
  })
  afterAll(async () => {
    await started.close()
    rmSync(folder, { recursive: true })
  })

  it.each([
    ['campaigns', {}],
    ['campaigns/channel_names', {}],
    ['campaigns/create', { title: 'Never' }],
  ])('UPGRADE_REQUIRED: GET /v3/%s without a plan that has campaigns', async (path, query) => {
    expect(await v3.refusal(path, query)).toBe('200 403 UPGRADE_REQUIRED')
  })

  it('MONTHLY_ENCODE_LIMIT_REACHED: more links than the plan allows in a month', async () => {
    for (const page of [1, 2]) await v3.data('shorten', { longUrl: `https://example.com/${page}` })
    const third = { longUrl: 'https://example.com/3' }
    expect(await v3.refusal('shorten', third)).toBe('200 403 MONTHLY_ENCODE_LIMIT_REACHED')
    expect(await v3.refusal('user/link_save', third)).toBe('200 403 MONTHLY_ENCODE_LIMIT_REACHED')
    expect(await v3.data('shorten', { longUrl: 'https://example.com/2' })).toMatchObject({ new_hash: 0 })
  })

  it('RATE_LIMIT_EXCEEDED: too many requests in a minute', async () => {
    const query = { url: 'https://example.com/1' }
    expect(await v3.get('link/lookup', query)).toMatchObject({ status_txt: 'OK' })
    const answer = await v3.ask('link/lookup', query)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: null, status_code: 403, status_txt: 'RATE_LIMIT_EXCEEDED' })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})
