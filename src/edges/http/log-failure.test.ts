import { expect, it } from 'vitest'
import { parameterNames } from './log-failure.js'

it.each([
  ['/v3/user/link_history', []],
  ['/v3/user/link_history?limit=1e30&access_token=secret&limit=', ['access_token', 'limit']],
  ['/v3/info?hash', ['hash']],
  ['/v3/info?0123456789abcdef0123456789abcdef01234567&%6cink=x&a b=1&=x', []],
])('names the parameters of %s without their values', (url, names) => {
  expect(parameterNames(url)).toEqual(names)
})
