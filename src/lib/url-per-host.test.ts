import { expect, it } from 'vitest'
import { hostsOf, urlPerHost } from './url-per-host.js'

it.each([
  ['postgres://u:p@a:5432,b:5433/x?y=z', ['postgres://u:p@a:5432/x?y=z', 'postgres://u:p@b:5433/x?y=z']],
  ['postgres://u@a,[::1]:1/x', ['postgres://u@a/x', 'postgres://u@[::1]:1/x']],
  ['postgres://u:p,q@a/x', ['postgres://u:p,q@a/x']],
  ['postgres:///x?host=/run/postgresql', ['postgres:///x?host=/run/postgresql']],
  // Not hosts, but a password that should have been percent-encoded.
  ['postgres://u:1,n/secret@a/x', ['postgres://u:1,n/secret@a/x']],
])('%s is %s', (url, urls) => {
  expect(urlPerHost(url)).toEqual(urls)
})

it('names the hosts without the password', () => {
  expect(hostsOf('postgres://u:secret@a:5432,b:5433/x')).toBe('a:5432,b:5433')
})
