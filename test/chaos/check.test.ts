import { expect, it } from 'vitest'
import { type Observed, type Visit, violations } from './check.js'

const edited = 's.example.test/edited'
const made = 's.example.test/made'
const version = (number: number) => `https://edited.example/0/${number}`

function aVisit(visit: Partial<Visit> = {}): Visit {
  return { link: made, reader: undefined, sent: 1, answered: 2, location: 'https://made.example/0', ...visit }
}

/** Two visits: one was answered, of the other nobody knows. */
const exact: Observed = {
  visits: [aVisit(), aVisit({ answered: undefined, location: '' })],
  creations: [
    { longUrl: 'https://made.example/0', id: made },
    { longUrl: 'https://made.example/1', id: undefined },
  ],
  edits: new Map([[edited, { answered: 3, sent: 4 }]]),
  limited: { limit: 10, made: 8, refused: 0 },
  lost: 0,
  counted: new Map([[0, 1]]),
  streamed: new Set([0]),
  delivered: new Set([0, 1]),
  stored: new Map([['https://made.example/0', 1]]),
  limitedStored: 9,
  finals: [
    { link: edited, reader: 'service-1', location: version(3) },
    { link: edited, reader: 'service-2', location: version(4) },
    { link: made, reader: 'service-1', location: 'https://made.example/0' },
  ],
}

const reads = (...versions: readonly number[]) =>
  versions.map((number, index) =>
    aVisit({ link: edited, reader: '0 1', sent: 10 * index, answered: 10 * index + 1, location: version(number) }),
  )
const allTold = { counted: new Map([0, 1].map((each) => [each, 1])), streamed: new Set([0, 1]) }

it('finds nothing wrong where all is kept, and what was not answered may be there or not', () => {
  expect(violations(exact)).toEqual([])
  expect(violations({ ...exact, ...allTold })).toEqual([])
  expect(violations({ ...exact, lost: 1, counted: new Map() })).toEqual([])
  expect(violations({ ...exact, ...allTold, visits: reads(2, 3) })).toEqual([])
  expect(violations({ ...exact, limited: { limit: 10, made: 10, refused: 3 }, limitedStored: 10 })).toEqual([])
})

it.each<readonly [string, Partial<Observed>, string]>([
  [
    'an answered visit that is not counted',
    { counted: new Map() },
    '0 visits are reported lost, but these are not counted: 0',
  ],
  ['a visit that is counted twice', { counted: new Map([[0, 2]]) }, 'visit 0 is counted 2 times'],
  [
    'a visit that was not answered and is counted twice',
    {
      counted: new Map([
        [0, 1],
        [1, 2],
      ]),
      streamed: new Set([0, 1]),
    },
    'visit 1 is counted 2 times',
  ],
  [
    'a click that nobody made',
    {
      counted: new Map([
        [0, 1],
        [7, 1],
      ]),
    },
    'visit 7 was never made, and is counted',
  ],
  ['a visit that is not in the stream', { streamed: new Set() }, 'visit 0 is not in the stream'],
  ['a visit that the webhook did not get', { delivered: new Set() }, 'visit 0 was not sent to the webhook'],
  ['a lost link', { stored: new Map() }, 'https://made.example/0 was answered and is stored 0 times'],
  [
    'a link that was made twice',
    {
      stored: new Map([
        ['https://made.example/0', 1],
        ['https://made.example/1', 2],
      ]),
    },
    'https://made.example/1 was not answered and is stored 2 times',
  ],
  ['a plan that was exceeded', { limitedStored: 11 }, 'a plan with 10 links has 11'],
  ['a lost link of a plan', { limitedStored: 7 }, 'a plan has 7 links, but 8 were answered'],
  [
    'a plan that refused too early',
    { limited: { limit: 10, made: 8, refused: 1 } },
    'a plan refused links after 9 of 10',
  ],
  [
    'a reader who saw an older version than before',
    { ...allTold, visits: reads(3, 2) },
    `${edited} at process 0 1 led to version 2 after version 3`,
  ],
  [
    'a version that nobody asked for',
    { ...allTold, visits: reads(3, 5) },
    `${edited} led to ${version(5)}, which nobody asked for`,
  ],
  [
    'a lost edit',
    { finals: [{ link: edited, reader: 'service-1', location: version(2) }] },
    `${edited} leads to ${version(2)} at service-1 in the end`,
  ],
  [
    'a link that is gone in the end',
    { finals: [{ link: made, reader: 'service-1', location: '404' }] },
    `${made} leads to 404 at service-1 in the end`,
  ],
  [
    'a visit that was led elsewhere',
    { visits: [aVisit({ location: version(1) }), aVisit({ answered: undefined })] },
    `${made} led to ${version(1)} instead of https://made.example/0`,
  ],
])('finds %s', (_, change, expected) => {
  expect(violations({ ...exact, ...change })).toEqual([expected])
})
