import { expect, it } from 'vitest'
import { aClick } from '../core/clicks/click-log.contract.js'
import { fromColumns, memoryOf, toColumns } from './click-columns.js'

it('brings clicks from one thread to another as they were', () => {
  const clicks = [
    aClick({ eventId: 'import-1-5000-0', visitorHash: 2n ** 64n - 1n }),
    aClick({ eventId: 'import-1-5000-1', address: 'sho.rt/b', city: 'Köln', kind: 'scan', nature: 'bot' }),
    aClick({ eventId: 'import-1-7000-4294967295', at: 8_640_000_000_000_000, referrer: '', device: 'Tablet' }),
    aClick({ eventId: 'import-1-5000-0' }),
  ]
  const columns = toColumns(clicks)
  const sent = structuredClone(columns, { transfer: memoryOf(columns) })
  expect(fromColumns(sent)).toEqual(clicks)
  expect(columns.at).toHaveLength(0)
  expect(fromColumns(toColumns([]))).toEqual([])
})
