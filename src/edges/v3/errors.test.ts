import { describe, expect, it } from 'vitest'
import { invalid, Refusal, type RefusalCode } from '../../core/values/refusal.js'
import { Failure, statusOf } from './errors.js'

describe('v3 errors', () => {
  it.each<[RefusalCode, number, string]>([
    ['RATE_LIMIT_EXCEEDED', 403, 'RATE_LIMIT_EXCEEDED'],
    ['UPGRADE_REQUIRED', 403, 'UPGRADE_REQUIRED'],
    ['MONTHLY_ENCODE_LIMIT_REACHED', 403, 'MONTHLY_ENCODE_LIMIT_REACHED'],
    ['FORBIDDEN', 403, 'FORBIDDEN'],
    ['NOT_FOUND', 404, 'NOT_FOUND'],
    ['GONE', 404, 'NOT_FOUND'],
    ['TEMPORARILY_UNAVAILABLE', 503, 'TEMPORARILY_UNAVAILABLE'],
    ['ALREADY_A_SHORTLINK', 500, 'ALREADY_A_SHORTLINK'],
    ['DNS_CONFIGURATION_ERROR', 500, 'DNS_CONFIGURATION_ERROR'],
  ])('%s becomes %i %s', (code, number, text) => {
    expect(statusOf(new Refusal(code, 'why'))).toEqual({ code: number, text })
  })

  it.each([
    ['longUrl', undefined, 'INVALID_URI'],
    ['zone', undefined, 'INVALID_ARG_TIMEZONE'],
    ['unitReference', undefined, 'INVALID_ARG_UNIT_REFERENCE_TS'],
    ['userTs', 'shortlinks', 'INVALID_ARG_USER_TS'],
    ['name', 'campaigns', 'INVALID_ARG_TITLE'],
    ['name', 'channels', 'INVALID_ARG_CHANNEL'],
  ] as const)('field %s of %s becomes %s', (field, resource, text) => {
    expect(statusOf(invalid(field, 'why', resource))).toEqual({ code: 500, text })
  })

  it('keeps the code and text of a Failure, and has no status for a bug', () => {
    expect(statusOf(new Failure('INVALID_ACCESS_TOKEN', 403))).toEqual({ code: 403, text: 'INVALID_ACCESS_TOKEN' })
    expect(statusOf(new Error('a bug'))).toBeUndefined()
  })
})
