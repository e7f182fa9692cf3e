import { isIPv6 } from 'node:net'

/**
 * The network that rate limits count: an IPv4 address, or the /64 of an IPv6 address, because one home or office owns a
 * whole /64 and can use another address for each request. All spellings of an address give the same name.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.replace(/%.*$/, '').split('::')
  const left = groupsOf(head)
  const right = groupsOf(tail ?? '')
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...gap, ...right].slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16))
}
