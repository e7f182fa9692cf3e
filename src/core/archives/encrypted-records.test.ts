import { expect, it } from 'vitest'
import { encryptedTables, explainLost, lostText } from './encrypted-records.js'

it('names everything that is encrypted in the records', () => {
  const all = lostText(encryptedTables.map(({ name }) => ({ table: name, count: 2 })))
  expect(all).toBe('2 webhooks, 2 second factors, 2 kept answers, 2 unfinished second factors')
})

it('says what to do, unless it expires by itself', () => {
  const { message, remedy } = explainLost([{ table: 'two_factors', count: 1 }])
  expect(message).toContain('1 second factor:')
  expect(remedy).toContain('two-factor-off LOGIN')
  expect(explainLost([{ table: 'idempotency_keys', count: 1 }]).remedy).toContain('nothing is to be done')
})
