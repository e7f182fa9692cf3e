import { expect, it } from 'vitest'
import { ThrottledLog } from './throttled-log.js'

it('writes the first failure at once, and the others of a minute as a number', () => {
  const lines: object[] = []
  const log = new ThrottledLog((fields) => lines.push(fields))
  const error = new Error('away')
  for (let at = 0; at < 60_000; at += 10) log.failed(error, at)
  expect(lines).toEqual([{ err: error, failures: 1 }])
  log.failed(error, 60_000)
  expect(lines[1]).toEqual({ err: error, failures: 6000 })
})
