import { expect, it } from 'vitest'
import { type BatchTarget, type ClickBatch, clicksOf } from '../../core/clicks/click-batch.js'
import { aClick } from '../../core/clicks/click-log.contract.js'
import { type ClickColumns, ClickPacker, ClickUnpacker, memoryOf } from './click-columns.js'

const upTo = { journalId: 'import', row: 7 }
const { place, referrer, trafficClass, agent } = aClick()

function target(name: string): BatchTarget {
  return {
    address: `sho.rt/${name}`,
    linkId: `sho.rt/${name}`,
    groupGuid: 'Bg',
    destination: `https://${name}.example/`,
  }
}

function batchOf(targets: readonly BatchTarget[], used: readonly number[]): ClickBatch {
  const zeros = () => new Uint32Array(used.length)
  return {
    at: Float64Array.from(used, (number) => 1_700_000_000_123 + number),
    visitorHash: BigUint64Array.from(used, () => 2n ** 64n - 1n),
    totals: Uint32Array.from(used, (number) => number % 2),
    skippedRanges: [2, 4, 7, 7],
    kinds: Uint8Array.from(used, (number) => number % 3),
    targets: { table: targets, used: Uint32Array.from(used) },
    places: { table: [place], used: zeros() },
    agents: { table: [{ trafficClass, ...agent }], used: zeros() },
    referrers: { table: [referrer], used: zeros() },
  }
}

function thread() {
  const [packer, unpacker] = [new ClickPacker(), new ClickUnpacker()]
  return (batch: ClickBatch): { readonly sent: ClickColumns; readonly received: ClickBatch } => {
    const columns = packer.pack(batch)
    const sent = structuredClone(columns, { transfer: memoryOf(columns) })
    expect(columns.at).toHaveLength(0)
    return { sent, received: unpacker.unpack(sent) }
  }
}

it('transfers clicks unchanged, batch after batch', () => {
  const send = thread()
  const table = [target('a')]
  for (const used of [[0, 0], [], [1, 0], [2, 1, 2, 0]]) {
    while (table.length <= Math.max(0, ...used)) table.push(target(`t${table.length}`))
    const before = clicksOf(batchOf(table, used), upTo)
    expect(clicksOf(send(batchOf(table, used)).received, upTo)).toEqual(before)
  }
})

it('sends nothing twice, and keeps the tables on the other side', () => {
  const send = thread()
  const table = [target('a')]
  const first = send(batchOf(table, [0]))
  table.push(target('b'))
  const second = send(batchOf(table, [1, 0]))
  expect(second.sent.targets.fresh).toEqual([target('b')])
  expect(second.received.targets.table).toBe(first.received.targets.table)
})

it('starts again with a new table', () => {
  const send = thread()
  const first = send(batchOf([target('a'), target('b')], [1]))
  const second = send(batchOf([target('c')], [0]))
  expect(second.received.targets.table).toEqual([target('c')])
  expect(second.received.targets.table).not.toBe(first.received.targets.table)
})
