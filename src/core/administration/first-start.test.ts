import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/sql/records.js'
import { systemClock } from '../clock.js'
import { firstStart, ignoredWishes } from './first-start.js'

let records: Records
beforeEach(async () => {
  records = await temporaryRecords()
})
afterEach(() => records.close())

const parts = () => ({ ...records, clock: systemClock })
const nothing = { login: undefined, password: undefined, token: undefined }

describe('firstStart', () => {
  it('makes nothing when its secrets cannot be kept', async () => {
    const full = () => {
      throw new Error('no space left')
    }
    await expect(firstStart(parts(), nothing, full)).rejects.toThrow('no space left')
    const kept: unknown[] = []
    expect(await firstStart(parts(), nothing, (first) => kept.push(first))).toEqual(kept[0])
    expect(await firstStart(parts(), nothing)).toBeUndefined()
  })
})

describe('ignoredWishes', () => {
  const token = 'e'.repeat(40)
  const wishes = { login: 'ada', password: 'correct horse', token }

  it('names what the service does not have', async () => {
    await firstStart(parts(), wishes)
    expect(await ignoredWishes(parts(), wishes)).toEqual([])
    expect(await ignoredWishes(parts(), nothing)).toEqual([])
    expect(await ignoredWishes(parts(), { ...wishes, login: 'bob' })).toEqual(['login', 'password'])
    expect(await ignoredWishes(parts(), { ...wishes, password: 'battery staple' })).toEqual(['password'])
    expect(await ignoredWishes(parts(), { ...wishes, token: 'f'.repeat(40) })).toEqual(['token'])
  })
})
