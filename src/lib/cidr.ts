import { BlockList, isIP, isIPv6 } from 'node:net'

/** A network in CIDR notation, `10.0.0.0/8` or `2001:db8::/32`, or a single IP. */
export interface Cidr {
  readonly text: string
  readonly addresses: BlockList
}

export function readCidr(text: string): Cidr | undefined {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const version = isIP(address)
  const length = version === 4 ? 32 : 128
  const prefix = bits === undefined ? length : Number(bits)
  if (version === 0 || prefix > length) return undefined
  const addresses = new BlockList()
  addresses.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  return { text, addresses }
}

export function contains({ addresses }: Cidr, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIP(plain) !== 0 && addresses.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}
