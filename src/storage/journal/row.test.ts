import { describe, expect, it } from 'vitest'
import type { RawClick } from '../../core/clicks/click.js'
import { visitKinds } from '../../core/clicks/dimensions.js'
import type { Visit } from '../../core/clicks/journal.js'
import { aRawClick } from '../../core/clicks/raw-click.builder.js'
import type { Target } from '../../core/links/link.js'
import { decodeRow, Turn } from './row.js'

describe('a journal row', () => {
  it.each<[string, readonly RawClick[]]>([
    ['one click', [aRawClick()]],
    ['a keyword of a link with another address', [aRawClick({ address: 'sho.rt/spring' })]],
    ['a global hash, which has no link and no group', [aRawClick({ linkId: '', groupGuid: '' })]],
    [
      'texts that are equal across fields',
      [aRawClick({ userAgent: 'en', language: 'en', groupGuid: 'en', address: 'en' })],
    ],
    ['empty texts', [aRawClick({ visitor: '', userAgent: '', referrer: '', language: '', purpose: '' })]],
    ['a repeated click', [aRawClick(), aRawClick(), aRawClick(), aRawClick({ at: 5 }), aRawClick({ at: 5 })]],
    [
      'a click that is repeated after another one',
      [aRawClick(), aRawClick({ kind: 'scan' }), aRawClick(), aRawClick()],
    ],
    ['a clock that is set back', [aRawClick({ at: 2000 }), aRawClick({ at: 1000 }), aRawClick({ at: 2001 })]],
    ['line ends and other characters', [aRawClick({ referrer: 'a\nb\r\u2028"\\', userAgent: 'ü€😀\ud800' })]],
    ...differences().map((change): [string, readonly RawClick[]] => [
      `clicks that differ in ${Object.keys(change)} only`,
      [aRawClick(), aRawClick(change), aRawClick(change), aRawClick()],
    ]),
  ])('decodes what it encoded: %s', (_, clicks) => {
    const turn = new Turn()
    const targets = new Map<string, Target>()
    for (const click of clicks) turn.add(targetOf(targets, click), visitOf(click))
    expect(turn.clicks).toBe(clicks.length)
    const text = turn.encode()
    expect(text).not.toContain('\n')
    expect(decodeRow(text)).toEqual(clicks)
  })

  const x = 'x'.repeat(60)
  it.each([
    ['nothing of what fits', `${x}abcd`, `${x}abcd`],
    ['the last letter', `${x}abcde`, `${x}abcd`],
    ['nothing of characters that fit', 'ü'.repeat(32), 'ü'.repeat(32)],
    ['a character of two bytes as a whole', `${x}aüü`, `${x}aü`],
    ['a character of three bytes as a whole', `${x}ab€`, `${x}ab`],
    ['a character of four bytes as a whole', `${x}a😀`, `${x}a`],
    ['all beyond sixteen of them', '😀'.repeat(400), '😀'.repeat(16)],
  ])('truncates long texts by bytes, and cuts %s', (_, purpose, kept) => {
    const turn = new Turn()
    const click = aRawClick({ purpose })
    turn.add(targetOf(new Map(), click), visitOf(click))
    expect(decodeRow(turn.encode())).toEqual([{ ...click, purpose: kept }])
  })

  it('is invalid if a click is repeated more often than possible', () => {
    const row = (again: number) => JSON.stringify([1, 0, [''], [0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, again]])
    expect(decodeRow(row(-65_535))).toHaveLength(65_536)
    expect(decodeRow(row(-100_000_000_000))).toBeUndefined()
  })

  it('is of the first format, which older versions read, unless it has what they would misread', () => {
    const formatOf = (kind: RawClick['kind']) => {
      const turn = new Turn()
      for (const click of [aRawClick(), aRawClick({ kind })]) turn.add(targetOf(new Map(), click), visitOf(click))
      return JSON.parse(turn.encode())[0]
    }
    expect(visitKinds.map((kind) => [kind, formatOf(kind)])).toEqual([
      ['click', 1],
      ['scan', 1],
      ['button', 2],
      ['view', 2],
    ])
  })

  it('of an older version has clicks and scans, of no site', () => {
    const texts = ['sho.rt/a', 'Bgroup', 'https://example.com/', '203.0.113.7', 'Firefox', '', 'en']
    const written = JSON.stringify([1, 1000, texts, [0, 0, 1, 2], [0, 0, 3, 4, 5, 6, 5, 0, 3, 7, 3, 4, 5, 6, 5, 0, -1]])
    const click = aRawClick({ at: 1000, userAgent: 'Firefox' })
    const scan = aRawClick({ at: 1007, userAgent: 'Firefox', kind: 'scan', method: 'HEAD' })
    expect(decodeRow(written)).toEqual([click, scan, scan])
  })

  it('needs a few bytes for a repeated click', () => {
    const turn = new Turn()
    const target = targetOf(new Map(), aRawClick())
    for (let click = 0; click < 60; click++) turn.add(target, visitOf(aRawClick()))
    expect(turn.encode().length / 60).toBeLessThan(5)
  })

  it.each([
    '',
    ' ',
    '{}',
    '42',
    'null',
    '[]',
    '[3,0,[],[],[]]',
    '[1,"now",[],[],[]]',
    '[1,0,[],[]]',
    '[1,0,[],[],[-3]]',
    '[1,0,["a',
  ])('is not decoded from %j', (text) => expect(decodeRow(text)).toBeUndefined())
})

/** One changed visit or target for each field. */
function differences(): readonly Partial<RawClick>[] {
  return [
    { at: 1 },
    { method: 'HEAD' },
    { kind: 'scan' },
    { kind: 'view' },
    { kind: 'button' },
    { kind: 'button', site: 'M3xYz12AbCd' },
    { visitor: 'other' },
    { userAgent: 'other' },
    { referrer: 'other' },
    { language: 'other' },
    { purpose: 'other' },
    { address: 'other' },
    { destination: 'other' },
  ]
}

function visitOf({ at, method, kind, site, visitor, userAgent, referrer, language, purpose }: RawClick): Visit {
  return { at, method, kind, site, visitor, userAgent, referrer, language, purpose }
}

/** One object per target, as on the redirect path. */
function targetOf(known: Map<string, Target>, { address, linkId, groupGuid, destination }: RawClick): Target {
  const key = JSON.stringify([address, linkId, groupGuid, destination])
  const target = known.get(key) ?? {
    address,
    linkId: linkId === '' ? undefined : linkId,
    groupGuid: groupGuid === '' ? undefined : groupGuid,
    longUrl: destination,
    createdAt: 0,
    expiresAt: undefined,
    deletedAt: undefined,
    rules: undefined,
  }
  known.set(key, target)
  return target
}
