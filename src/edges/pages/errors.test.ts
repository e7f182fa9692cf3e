import { expect, it } from 'vitest'
import { Refusal } from '../../core/values/refusal.js'
import { errorPage } from './errors.js'

it('says what to do while the database is away, which is no fault of the page', () => {
  const message = 'The database does not answer at the moment. Try again in a few seconds.'
  const page = errorPage(new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 1 }))
  expect([page.status, page.headers]).toEqual([503, { 'retry-after': '1' }])
  expect(page.content.text).toContain(message)
})

it('says of an unexpected error that it was logged', () => {
  expect(errorPage(new TypeError('x')).status).toBe(500)
})
