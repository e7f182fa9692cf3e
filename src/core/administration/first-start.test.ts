import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import { systemClock } from '../values/time.js'
import { firstStart, ignoredAccountInput } from './first-start.js'

let records: Records
beforeEach(async () => {
  records = await temporaryRecords()
})
afterEach(() => records.close())

const deps = () => ({ ...records, clock: systemClock })
const nothing = { login: undefined, password: undefined, token: undefined }

describe('firstStart', () => {
  it('makes nothing when its secrets cannot be kept', async () => {
    const full = () => {
      throw new Error('no space left')
    }
    await expect(firstStart(deps(), nothing, full)).rejects.toThrow('no space left')
    const kept: unknown[] = []
    expect(await firstStart(deps(), nothing, (first) => kept.push(first))).toEqual(kept[0])
    expect(await firstStart(deps(), nothing)).toBeUndefined()
  })
})

describe('ignoredWishes', () => {
  const token = 'e'.repeat(40)
  const input = { login: 'ada', password: 'correct horse', token }

  it('names what the service does not have', async () => {
    await firstStart(deps(), input)
    expect(await ignoredAccountInput(deps(), input)).toEqual([])
    expect(await ignoredAccountInput(deps(), nothing)).toEqual([])
    expect(await ignoredAccountInput(deps(), { ...input, login: 'bob' })).toEqual(['login', 'password'])
    expect(await ignoredAccountInput(deps(), { ...input, password: 'battery staple' })).toEqual(['password'])
    expect(await ignoredAccountInput(deps(), { ...input, token: 'f'.repeat(40) })).toEqual(['token'])
  })
})
