/**
 * Whose requests an address stands for. Our choice: one home or office has a whole /64 of IPv6 addresses and may use
 * another for each request, so they count as one.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...gap, ...right].slice(0, 4).join(':')}::/64`
}
