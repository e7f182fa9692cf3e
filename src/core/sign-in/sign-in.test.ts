import { describe, expect, it } from 'vitest'
import { hashPassword } from '../auth/passwords.js'
import { hashOfNobody, networkOf } from './sign-in.js'

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:1::9', '2001:db8:1:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['not an address', 'not an address'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('the hash of nobody', () => {
  it('costs what the hash of somebody costs', async () => {
    const parameters = (hash: string) => hash.split('$').slice(0, 4)
    expect(parameters(hashOfNobody)).toEqual(parameters(await hashPassword('anything')))
  })
})
