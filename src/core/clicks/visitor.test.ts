import { describe, expect, it } from 'vitest'
import { clientIp } from './visitor.js'

const cases: readonly (readonly [forwarded: string, trustProxy: number, address: string])[] = [
  ['203.0.113.7', 0, '203.0.113.7'],
  ['::ffff:203.0.113.7', 0, '203.0.113.7'],
  ['::ffff:cb00:7107', 0, '203.0.113.7'],
  ['2001:DB8::1', 0, '2001:db8::1'],
  ['fe80::1%eth0', 0, 'fe80::1'],
  ['203.0.113.7:51234', 1, '203.0.113.7'],
  ['[2001:db8::1]:443', 1, '2001:db8::1'],
  ['[2001:db8::1]', 1, '2001:db8::1'],
  ['198.51.100.1, 203.0.113.7', 1, '203.0.113.7'],
  ['6.6.6.6, 198.51.100.1, 203.0.113.7', 2, '198.51.100.1'],
  ['198.51.100.1,203.0.113.7', 2, '198.51.100.1'],
  ['198.51.100.1, 203.0.113.7', 5, '198.51.100.1'],
  ['203.0.113.7', 3, '203.0.113.7'],
  ['198.51.100.1, unknown', 1, ''],
  ['unknown', 1, ''],
  ['', 0, ''],
  ['999.1.1.1', 0, ''],
  ['example.com', 0, ''],
  [', ,', 1, ''],
  ['::ffff:1:2:3', 0, '::ffff:1:2:3'],
]

describe('clientIp', () => {
  it.each(cases)('finds the client in "%s" behind %i proxies: "%s"', (forwarded, trustProxy, address) => {
    expect(clientIp(forwarded, trustProxy)).toBe(address)
  })
})
