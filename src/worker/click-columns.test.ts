import { expect, it } from 'vitest'
import type { Click } from '../core/clicks/click.js'
import { aClick } from '../core/clicks/click-log.contract.js'
import { ClickPacker, ClickUnpacker, memoryOf } from './click-columns.js'

const first = [
  aClick({ eventId: 'import-1-5000-0', visitorHash: 2n ** 64n - 1n }),
  aClick({ eventId: 'import-1-5000-1', address: 'sho.rt/b', city: 'Köln', kind: 'scan', nature: 'bot' }),
  aClick({ eventId: 'import-1-7000-4294967295', at: 8_640_000_000_000_000, referrer: '', device: 'Tablet' }),
  aClick({ eventId: 'import-1-5000-0' }),
]
const second = [
  aClick({ eventId: 'import-1-9000-0', address: 'sho.rt/b', city: '' }),
  aClick({ eventId: 'import-1-9000-1', address: 'sho.rt/b', city: '', region: '' }),
  // The same word as before in other company.
  aClick({ eventId: 'import-1-9000-2', address: 'sho.rt/b', destination: 'https://example.com/new', city: 'Köln' }),
  aClick({ eventId: 'import-1-9000-3', city: 'Köln', region: 'Berlin', country: 'US' }),
  aClick({ eventId: 'import-1-9000-4', country: '', region: '', subregion: '', city: '', os: '', browser: '' }),
]

function thread() {
  const [packer, unpacker] = [new ClickPacker(), new ClickUnpacker()]
  return (clicks: readonly Click[]) => {
    const columns = packer.pack(clicks)
    const sent = structuredClone(columns, { transfer: memoryOf(columns) })
    expect(columns.at).toHaveLength(0)
    return { sent, clicks: unpacker.unpack(sent) }
  }
}

it('brings clicks from one thread to another as they were, batch after batch', () => {
  const send = thread()
  for (const batch of [first, second, [], first, [...second, ...first]]) expect(send(batch).clicks).toEqual(batch)
})

it('says no word twice', () => {
  const send = thread()
  send(first)
  const { eventStems, targets, places, agents, referrers } = send([...first, ...first]).sent
  expect([eventStems, targets, places, agents, referrers].flatMap(({ fresh }) => fresh)).toEqual([])
})

it('begins anew before what is known fills the memory', () => {
  const send = thread()
  let begun = 0
  for (let batch = 0; batch < 30; batch++) {
    const clicks = Array.from({ length: 10 }, (_, index) =>
      aClick({
        eventId: `import-1-${batch}-${index}`,
        referrer: `https://s${batch}.example/${index}${'x'.repeat(50_000)}`,
      }),
    )
    const { sent, clicks: received } = send(clicks)
    expect(received).toEqual(clicks)
    if (sent.anew) begun++
  }
  expect(begun).toBe(1)
})
