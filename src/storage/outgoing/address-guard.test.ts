import { describe, expect, it } from 'vitest'
import { addressGuard, isPublic } from './address-guard.js'

const refused: readonly (readonly [string, readonly string[]])[] = [
  ['this network', ['0.0.0.0', '0.255.255.255']],
  ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255']],
  ['shared by carriers', ['100.64.0.1', '100.127.255.255']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['link-local', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['protocol assignments', ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1::1', '2001:1ff::1']],
  ['documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1', '3fff:fff::1']],
  ['benchmarks', ['198.18.0.1', '198.19.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
  ['reserved and broadcast', ['240.0.0.1', '255.255.255.255']],
  ['unspecified', ['::']],
  ['unique local', ['fc00::1', 'fdff::1']],
  ['site-local', ['fec0::1']],
  ['mapped IPv4', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1']],
  ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1']],
  ['6to4 and its relays', ['2002:7f00:1::1', '192.88.99.1']],
  ['discard', ['100::1']],
  ['no address at all', ['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8.8 ', '1.2.3.4:80', '[2606:4700::1111]']],
]

const allowed = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '2001:200::1',
  '2001:4860:4860::8888',
]

describe('isPublic', () => {
  it.each(refused)('refuses %s', (_, addresses) => {
    for (const address of addresses) expect([address, isPublic(address)]).toEqual([address, false])
  })

  it.each(allowed)('allows %s', (address) => {
    expect(isPublic(address)).toBe(true)
  })
})

describe('addressGuard', () => {
  const kindOf = addressGuard(['10.20.0.0/16', '127.0.0.1', 'fd00:20::/32'])

  it.each([
    ['10.20.255.1', 'permitted'],
    ['10.21.0.1', 'forbidden'],
    ['127.0.0.1', 'permitted'],
    ['127.0.0.2', 'forbidden'],
    ['::ffff:127.0.0.1', 'permitted'],
    ['::ffff:7f00:2', 'forbidden'],
    ['fd00:20:1::7', 'permitted'],
    ['fd00:21::7', 'forbidden'],
    ['1.1.1.1', 'public'],
    ['64:ff9b::7f00:1', 'forbidden'],
    ['2002:7f00:1::1', 'forbidden'],
    ['localhost', 'forbidden'],
  ])('%s: %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind)
  })
})
