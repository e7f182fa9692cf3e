import { describe, expect, it } from 'vitest'
import { contains, readCidr } from './cidr.js'

describe('readCidr', () => {
  it.each([
    ['10.0.0.0/8', '10.200.3.4', '11.0.0.1'],
    ['203.0.113.7', '203.0.113.7', '203.0.113.8'],
    ['0.0.0.0/0', '198.51.100.1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8:7::1', '2001:db9::1'],
    ['::1', '::1', '127.0.0.1'],
  ])('%s holds %s and not %s', (text, inside, outside) => {
    const network = readCidr(text)
    if (!network) throw new Error(`${text} is a network`)
    expect([contains(network, inside), contains(network, outside)]).toEqual([true, false])
  })

  it('takes an IPv4 address written as IPv6 for what it is', () => {
    const network = readCidr('10.0.0.0/8')
    expect(network && contains(network, '::ffff:10.1.1.1')).toBe(true)
    expect(network && contains(network, '')).toBe(false)
  })

  it.each(['', '10.0.0.0/33', '2001:db8::/129', 'example.com', '10.0.0/8', '10.0.0.0/-1', '10.0.0.0/8/8'])(
    '%j is none',
    (text) => expect(readCidr(text)).toBeUndefined(),
  )
})
