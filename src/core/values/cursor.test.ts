import { expect, it } from 'vitest'
import { cursorOf, positionIn } from './cursor.js'

it.each(['Lb1x2y3z4A5', 'go.example.com/sale', 'go.example.com/grüße', 'go.example.com/日本/\u{1f680}'])(
  'a cursor leads back to its position: %s',
  (id) => {
    expect(positionIn(cursorOf({ at: 1_790_000_000_000, id }))).toEqual({ at: 1_790_000_000_000, id })
  },
)

it.each(['x', '', 'MSBM MQ', ...['a b', '1', '1 ', '1 a b', '1 a\0', '1 \u00a0', `1 ${'x'.repeat(601)}`].map(encoded)])(
  'no other text is a cursor: %j',
  (text) => {
    expect(() => positionIn(text)).toThrow(/exactly as the previous page returned it/)
  },
)

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url')
}
