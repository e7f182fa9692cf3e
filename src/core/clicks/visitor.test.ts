import { describe, expect, it } from 'vitest'
import { draftOf } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'
import { remembered } from './remembered.js'
import { clientIp, dayLength, recogniseVisitor, type Visitor } from './visitor.js'

const cases: readonly (readonly [forwarded: string, trustProxy: number, address: string])[] = [
  ['203.0.113.7', 0, '203.0.113.7'],
  ['::ffff:203.0.113.7', 0, '203.0.113.7'],
  ['::ffff:cb00:7107', 0, '203.0.113.7'],
  ['2001:DB8::1', 0, '2001:db8::1'],
  ['fe80::1%eth0', 0, 'fe80::1'],
  ['203.0.113.7:51234', 1, '203.0.113.7'],
  ['[2001:db8::1]:443', 1, '2001:db8::1'],
  ['[2001:db8::1]', 1, '2001:db8::1'],
  ['198.51.100.1, 203.0.113.7', 1, '203.0.113.7'],
  ['6.6.6.6, 198.51.100.1, 203.0.113.7', 2, '198.51.100.1'],
  ['198.51.100.1,203.0.113.7', 2, '198.51.100.1'],
  ['198.51.100.1, 203.0.113.7', 5, '198.51.100.1'],
  ['203.0.113.7', 3, '203.0.113.7'],
  ['198.51.100.1, unknown', 1, ''],
  ['unknown', 1, ''],
  ['', 0, ''],
  ['999.1.1.1', 0, ''],
  ['example.com', 0, ''],
  [', ,', 1, ''],
  ['::ffff:1:2:3', 0, '::ffff:1:2:3'],
]

describe('clientAddress', () => {
  it.each(cases)('finds the client in "%s" behind %i proxies: "%s"', (forwarded, trustProxy, address) => {
    expect(clientIp(forwarded, trustProxy)).toBe(address)
  })
})

describe('recogniseVisitor', () => {
  const visitors = remembered(10, (address): Visitor => ({ address, seen: undefined }))
  const agents = remembered(10, (userAgent) => ({ userAgent }))
  const step = recogniseVisitor(visitors, agents, { of: (day) => `salt of ${day}` })
  const hashOf = (input: Parameters<typeof aRawClick>[0]) => {
    const click = draftOf(aRawClick(), 'id')
    step(aRawClick(input), click)
    return click.visitorHash
  }
  const noon = 20_000 * dayLength + dayLength / 2

  it('gives one visitor one number for a whole UTC day', () => {
    expect(hashOf({ at: noon })).toBe(hashOf({ at: noon + dayLength / 2 - 1 }))
  })

  it('gives other numbers to another day, address or agent', () => {
    const numbers = [
      hashOf({ at: noon }),
      hashOf({ at: noon + dayLength / 2 }),
      hashOf({ at: noon, visitor: '203.0.113.8' }),
      hashOf({ at: noon, userAgent: 'curl/8.5.0' }),
    ]
    expect(new Set(numbers).size).toBe(4)
  })

  it('gives the number again when a visitor comes back to an agent or a day', () => {
    const first = hashOf({ at: noon })
    const curl = hashOf({ at: noon, userAgent: 'curl/8.5.0' })
    const tomorrow = hashOf({ at: noon + dayLength })
    expect([hashOf({ at: noon }), hashOf({ at: noon, userAgent: 'curl/8.5.0' })]).toEqual([first, curl])
    expect(hashOf({ at: noon + dayLength })).toBe(tomorrow)
    expect(new Set([first, curl, tomorrow]).size).toBe(3)
  })

  it('fits into 64 bits without a sign', () => {
    for (let index = 0; index < 100; index++) {
      const number = hashOf({ at: noon, visitor: `203.0.113.${index}` })
      expect(number >= 0n && number < 2n ** 64n).toBe(true)
    }
  })
})
