/**
 * IPv4 lookup in the search tree of an mmdb file; returns the offset of the data record. Nearly every visitor uses
 * IPv4, and the lookup of the library takes four times as long; the library still decodes the record.
 */
export interface TreeShape {
  readonly nodeCount: number
  /** In bits; a node has two records, one for each value of the next bit. */
  readonly recordSize: number
  readonly ipVersion: number
}

/** Returns the same number for all IPs that share a record, and undefined for IPs without one. */
export function ipv4Tree(
  data: Buffer,
  { nodeCount, recordSize, ipVersion }: TreeShape,
): (address: string) => number | undefined {
  const next = stepsOf(data, recordSize)
  // An IPv6 tree stores IPv4 addresses below 96 zero bits.
  let root = 0
  for (let depth = 0; ipVersion === 6 && depth < 96 && root < nodeCount; depth++) root = next(root, 0)
  return (address) => {
    const bits = numberOf(address)
    let node = root
    for (let depth = 31; depth >= 0 && node < nodeCount; depth--) node = next(node, (bits >>> depth) & 1)
    return node > nodeCount ? node : undefined
  }
}

function stepsOf(data: Buffer, recordSize: number): (node: number, bit: number) => number {
  const byte = (at: number) => data[at] ?? 0
  const three = (at: number) => (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2)
  if (recordSize === 24) return (node, bit) => three(node * 6 + bit * 3)
  if (recordSize === 28) {
    // The middle byte holds the highest bits of both records.
    return (node, bit) => (((byte(node * 7 + 3) >> (bit === 0 ? 4 : 0)) & 15) << 24) | three(node * 7 + bit * 4)
  }
  return (node, bit) => byte(node * 8 + bit * 4) * 0x1000000 + three(node * 8 + bit * 4 + 1)
}

/** Dotted decimal only: `203.0.113.7`. */
function numberOf(address: string): number {
  let number = 0
  let part = 0
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index)
    if (code === dot) {
      number = (number << 8) | part
      part = 0
    } else part = part * 10 + code - zero
  }
  return (number << 8) | part
}

const dot = 0x2e
const zero = 0x30
