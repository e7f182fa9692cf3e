import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { planFeatures, unlimited } from '../../core/limits/plan.js'
import { loadPlans } from './plans-file.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-plans-'))
afterAll(() => rmSync(folder, { recursive: true }))
function plansIn(content: unknown): string {
  const file = join(folder, 'plans.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const load = (content: unknown, defaultPlan = 'unlimited') => loadPlans({ plans: plansIn(content), defaultPlan })

describe('plans', () => {
  it('are one without a file, and it has no limits', () => {
    expect(loadPlans({ plans: undefined, defaultPlan: 'unlimited' })).toEqual([unlimited])
  })

  it('limit what they name and include all features unless they name some', () => {
    const plans = load({ free: { displayName: 'Free', limits: { encodes: 5 }, features: ['cities'] }, big: {} }, 'free')
    expect(plans).toEqual([
      unlimited,
      { name: 'free', displayName: 'Free', limits: { encodes: 5 }, features: new Set(['cities']) },
      { name: 'big', displayName: 'big', limits: undefined, features: new Set(planFeatures) },
    ])
  })

  it('of the example can be used as they are', () => {
    const plans = loadPlans({ plans: 'deploy/plans.example.json', defaultPlan: 'free' })
    expect(plans.map(({ name }) => name)).toEqual(['unlimited', 'free', 'starter', 'growth', 'premium', 'enterprise'])
    expect(plans.find(({ name }) => name === 'premium')?.limits).toMatchObject({ api_requests: 50000, encodes: 3000 })
    const codes = plans.map(({ limits, features }) => features.has('qr_codes') && limits?.qr_codes)
    expect(codes).toEqual([undefined, 2, 5, 10, 200, undefined])
  })

  it.each([
    [{ free: { limits: { encode: 5 } } }, /encodes/],
    [{ free: { limits: { encodes: -1 } } }, /\/free\/limits\/encodes/],
    [{ free: { limits: { encodes: '5' } } }, /\/free\/limits\/encodes/],
    [{ free: { features: ['city'] } }, /\/free\/features\/0/],
    [{ free: { feature: [] } }, /not valid/],
    [{ 'a plan': {} }, /not valid/],
    [[], /not valid/],
    ['{', /Cannot read the plans/],
  ])('are refused with what is wrong: %j', (content, message) => {
    expect(() => load(content)).toThrow(message)
  })

  it('are refused when the default is none of them, or the file is missing', () => {
    expect(() => load({ free: {} }, 'gold')).toThrow('Known plans: unlimited, free.')
    expect(() => loadPlans({ plans: join(folder, 'none'), defaultPlan: 'unlimited' })).toThrow(/Check --plans/)
  })
})
