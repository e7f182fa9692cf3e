/**
 * The way of an IPv4 address through the search tree of an mmdb file, to whatever is written about it there. Nearly every
 * visitor comes by here, and the reader's own way takes four times as long; what is found it still has to read.
 */
export interface TreeShape {
  readonly nodeCount: number
  /** Bits; a node has two records, for the next bit of an address. */
  readonly recordSize: number
  readonly ipVersion: number
}

/** Answers a number for an address, the same for all that share what is known of them; undefined for those that nothing is known of. */
export function ipv4Tree(
  data: Buffer,
  { nodeCount, recordSize, ipVersion }: TreeShape,
): (address: string) => number | undefined {
  const next = stepsOf(data, recordSize)
  // A tree for IPv6 has IPv4 addresses where 96 zeros lead.
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
    // The byte in the middle holds the highest bits of both.
    return (node, bit) => (((byte(node * 7 + 3) >> (bit === 0 ? 4 : 0)) & 15) << 24) | three(node * 7 + bit * 4)
  }
  return (node, bit) => byte(node * 8 + bit * 4) * 0x1000000 + three(node * 8 + bit * 4 + 1)
}

/** Written plainly: `203.0.113.7`. */
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
