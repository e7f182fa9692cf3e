import { expect, it } from 'vitest'
import { explainLost, lostText, secretKinds } from './encrypted-records.js'

it('names everything that is encrypted in the records', () => {
  const all = lostText(secretKinds.map((kind) => ({ kind, count: 2 })))
  expect(all).toBe('2 webhooks, 2 second factors, 2 kept answers, 2 unfinished second factors, 2 provider sessions')
})

it('says what to do, unless it expires by itself', () => {
  const { message, remedy } = explainLost([{ kind: 'second factor', count: 1 }])
  expect(message).toContain('1 second factor:')
  expect(remedy).toContain('two-factor-off LOGIN')
  expect(explainLost([{ kind: 'kept answer', count: 1 }]).remedy).toContain('nothing is to be done')
})
