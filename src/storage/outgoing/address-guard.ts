/**
 * Which IP addresses the service may connect to on behalf of its users: public ones, and those in networks that the
 * operator permits (`outgoingAllow`). Everything else leads into our own network or to another service of this machine
 * (SSRF), and so may any range that is not known to be public.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { contains, readCidr } from '../../lib/cidr.js'

export type AddressKind = 'public' | 'permitted' | 'forbidden'

/** `allow`: networks in CIDR notation, which the option table has checked. */
export function addressGuard(allow: readonly string[]): (address: string) => AddressKind {
  const networks = allow.map((text) => {
    const network = readCidr(text)
    if (!network) throw new Error(`"${text}" is not a network`)
    return network
  })
  return (address) => {
    if (networks.some((network) => contains(network, address))) return 'permitted'
    return isPublic(address) ? 'public' : 'forbidden'
  }
}

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !reservedIpv4.check(address, 'ipv4')
  // A zone (`fe80::1%eth0`) only makes sense on a local network.
  if (!isIPv6(address) || address.includes('%')) return false
  return unicastIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6')
}

/** RFC 6890 and its updates (IANA special-purpose registry). */
const reservedIpv4 = subnets('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, where clouds serve credentials
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
])

/**
 * All public unicast IPv6. Outside of it are loopback, unique local, link-local, multicast and embedded IPv4: mapped
 * (::ffff:0:0/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
 */
const unicastIpv6 = subnets('ipv6', [['2000::', 3]])

const reservedIpv6 = subnets('ipv6', [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries any IPv4 address
  ['3fff::', 20], // documentation
])

function subnets(family: 'ipv4' | 'ipv6', list: readonly (readonly [string, number])[]): BlockList {
  const blocks = new BlockList()
  for (const [network, prefix] of list) blocks.addSubnet(network, prefix, family)
  return blocks
}
