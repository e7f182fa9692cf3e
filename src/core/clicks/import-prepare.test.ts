import { describe, expect, it } from 'vitest'
import { DomainNames } from '../domains/domains.js'
import { parseAddress } from '../values/address.js'
import type { Click } from './click.js'
import { type BatchTarget, clicksOf } from './click-batch.js'
import type { ClickStore } from './click-store.js'
import { readLine } from './import-line.js'
import { type ImportPiece, maxLineLength, Preparation, type RejectedLine } from './import-prepare.js'
import { createPipeline } from './pipeline.js'

const now = Date.parse('2026-11-15T12:00:00Z')
const geography = {
  location: (address: string) => ({ country: 'DE', region: 'BW', subregion: '', city: `of ${address}` }),
}
const salts = { of: (day: number) => `salt of ${day}` }
const links = ['sho.rt/a', 'sho.rt/b', 'sho.rt/Word', 'sho.rt/caf\u00e9']
const domainNames = new DomainNames([{ key: 'sho.rt', name: 'new.rt', formerNames: ['sho.rt', 'old.rt'], position: 0 }])
const upTo = { journalId: 'import', row: 1 }

const targets: Pick<ClickStore, 'importTargets'> = {
  async importTargets(addresses) {
    return new Map(
      addresses.filter((address) => links.includes(address)).map((address) => [address, targetOf(address)]),
    )
  },
}

function targetOf(address: string): BatchTarget {
  return { address, linkId: address, groupGuid: 'Bg', destination: `https://example.com/${address}` }
}

interface Outcome {
  readonly clicks: readonly Comparable[]
  readonly rejected: readonly RejectedLine[]
}

async function prepare(lines: readonly string[], pieceLines = lines.length): Promise<Outcome> {
  const preparation = new Preparation({ geography, salts, targets, domainNames }, now)
  for (let from = 0; from < lines.length; from += pieceLines) {
    await preparation.add(pieceOf(lines.slice(from, from + pieceLines), from + 1))
  }
  const { clicks, rejected } = preparation.take()
  return { clicks: comparable(clicksOf(clicks, upTo)), rejected }
}

function pieceOf(lines: readonly string[], first: number): ImportPiece {
  const data = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const ends: number[] = []
  for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, end + 1)) ends.push(end)
  return { first, data, ends, bytes: data.length }
}

type Total = { readonly total?: number }
type Comparable = Omit<Click, 'eventId' | 'visitorHash'> & Total & { readonly visitor: number }

/** Without ids, and with visitors numbered as they come: those of an import are hashed in a way of its own. */
function comparable(clicks: readonly (Click & Total)[]): readonly Comparable[] {
  const visitors = new Map<bigint, number>()
  return clicks.map(({ eventId, visitorHash, total = 0, ...click }) => {
    // Of a total nobody is asked for.
    if (total > 0) return { ...click, total, visitor: -1 }
    const visitor = visitors.get(visitorHash) ?? visitors.size
    visitors.set(visitorHash, visitor)
    return { ...click, total, visitor }
  })
}

/** Line by line, through JSON.parse and the pipeline that our own clicks take. */
function model(lines: readonly string[]): Outcome {
  const pipeline = createPipeline({ geography, salts, trustProxy: 0 })
  const clicks: (Click & Total)[] = []
  const rejected: RejectedLine[] = []
  for (const [index, text] of lines.entries()) {
    const line = index + 1
    if (text.trim() === '') continue
    const said = readLine(text.trim(), now)
    if (typeof said === 'string') {
      rejected.push({ line, reason: said, text })
      continue
    }
    const written = parseAddress(said.link)
    const address = written && domainNames.addressOf(written.domain, written.backHalf)
    if (address === undefined || !links.includes(address)) {
      rejected.push({ line, reason: `there is no short link ${said.link}`, text })
      continue
    }
    const { at, ip: visitor, userAgent, referrer } = said
    const raw = {
      ...targetOf(address),
      at,
      visitor,
      userAgent,
      referrer,
      method: 'GET',
      kind: 'click',
      site: '',
      purpose: '',
    } as const
    const [click] = pipeline.enrich('import', [{ row: line, clicks: [{ ...raw, language: '' }] }])
    if (!click) throw new Error(`the pipeline dropped line ${line}`)
    const visitorHash = visitor === '' ? BigInt(line) : click.visitorHash
    const one = {
      ...click,
      place: said.place ?? click.place,
      kind: said.kind,
      visitorHash,
      userAgent: '',
      language: '',
    }
    const { count = 1 } = said
    const known = said.count === undefined || visitor !== ''
    if (known) clicks.push(one)
    if (count > 1 || !known) clicks.push({ ...one, total: known ? count - 1 : count })
  }
  return { clicks: comparable(clicks), rejected }
}

const good = { link: 'sho.rt/a', at: '2026-01-31T23:59:59Z' }
const written = (line: object) => JSON.stringify({ ...good, ...line })

describe('lines of an import', () => {
  it.each([
    ['with what is needed', [written({})]],
    [
      'with everything',
      [written({ ip: '8.8.8.8', user_agent: 'Mozilla/5.0', referrer: 'https://x.example/', kind: 'scan' })],
    ],
    ['of each kind', ['click', 'scan', 'button', 'clic', 'clicks', ''].map((kind) => written({ kind }))],
    ['with a place', [written({ country: 'de', region: 'BW', city: 'Köln', ip: '8.8.8.8' }), written({ city: '' })]],
    [
      'with parts of a place',
      [{ city: 'DE' }, { country: 'DE' }, { region: 'DE' }, { region: 'D', city: 'E' }].map(written),
    ],
    [
      'with a wrong place',
      [{ country: '' }, { country: 'DEU' }, { city: 'x'.repeat(5_000) }, { region: '\u0001' }].map(written),
    ],
    [
      'with a count',
      [1, 2, 1_000_000_000, 0, -1, 1.5, '7', true, 1_000_000_001, null].flatMap((count) => [
        written({ count }),
        written({ count, ip: '8.8.8.8', kind: 'scan', city: 'Ulm' }),
        written({ count, link: 'sho.rt/missing', ip: '8.8.8.8' }),
      ]),
    ],
    [
      'with times as databases write them',
      [
        '2026-02-01 08:15:00',
        '2026-02-01 08:15:00.25',
        '2026-02-30 08:15:00',
        '2026-02-01 24:15:00',
        '2026-02-01  8:15:00',
      ]
        .map((at) => written({ at }))
        .concat(written({ at: '2026-02-01 08:15:00Z' }), written({ at: '2026-02-01T08:15:00' })),
    ],
    ['with nulls', [written({ ip: null, user_agent: null, referrer: null, kind: null, country: null, city: null })]],
    [
      'with fields of others',
      [written({ id: 'x', n: 7, deep: { link: 'sho.rt/b' }, list: ['at'], yes: true, no: null })],
    ],
    ['with a field twice', ['{"link":"sho.rt/a","link":"sho.rt/b","at":"2026-01-31T23:59:59Z"}']],
    [
      'with blanks',
      ['  { "link" : "sho.rt/a" ,\t"at" : "2026-01-31T23:59:59Z" } \r', ' ', '', '\r', '\ufeff', '\ufeff{}'],
    ],
    [
      'with escapes',
      ['{"link":"sho.rt\\/a","at":"2026-01-31T23:59:59Z","referrer":"https:\\/\\/x.example\\/\\u0041\\""}'],
    ],
    [
      'with wrong escapes',
      ['{"link":"sho.rt/a\\x","at":"2026-01-31T23:59:59Z"}', written({}).replace('link', 'li\\nk')],
    ],
    ['with an escaped name', ['{"\\u006cink":"sho.rt/a","at":"2026-01-31T23:59:59Z"}']],
    ['with half of a character', ['{"link":"sho.rt/a","at":"2026-01-31T23:59:59Z","referrer":"\\ud800"}']],
    ['with other scripts', [written({ link: 'sho.rt/café', city: '東京', user_agent: '🦊' })]],
    [
      'spelled in several ways',
      [written({ link: 'SHO.rt/a' }), written({ link: 'https://sho.rt/a' }), written({ link: 'SHO.RT/A' })],
    ],
    [
      'of no link',
      [written({ link: 'sho.rt/none' }), written({ link: '' }), written({}), written({ link: 'sho.rt/none' })],
    ],
    ['without an address', [written({}), written({}), written({ ip: '' }), written({ ip: 'localhost' })]],
    [
      'of many addresses',
      ['::1', '2001:DB8::1', '::ffff:1.2.3.4', '10.0.0.1', 'fe80::1%eth0'].map((ip) => written({ ip })),
    ],
    ['that are no objects', ['[]', '7', '"link"', 'null', '{', '}', '{}', '{,}', '{"link"}', '{"link":}', '{"link":"']],
    [
      'that end early',
      Array.from(written({ ip: '8.8.8.8' }), (_, end, all = written({ ip: '8.8.8.8' })) => all.slice(0, end)),
    ],
    ['that go on', [`${written({})}x`, `${written({})}{}`, `${written({})},`, `${written({})}]`]],
    [
      'with a control character',
      [written({}).replace('sho', 'sh\u0001o'), '{"link":"sho.rt/a\t","at":"2026-01-31T23:59:59Z"}'],
    ],
    [
      'of the wrong type',
      [{ link: 7 }, { at: 7 }, { ip: 7 }, { kind: 7 }, { user_agent: [] }, { country: {} }].map(written),
    ],
  ])('%s say what JSON says, and are counted as our own clicks are', async (_, lines) => {
    const expected = model(lines)
    expect(await prepare(lines)).toEqual(expected)
    expect(await prepare([...lines, ...lines], 3)).toEqual(model([...lines, ...lines]))
  })

  it.each([
    ...[
      '2026-01-31T23:59:59.123Z',
      '2026-01-31T23:59:59.5Z',
      '2026-01-31T23:59:59.123456Z',
      '2026-01-31T00:00:00+0100',
    ],
    ...['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.001Z', '2024-02-29T00:00:00Z', '2026-02-29T00:00:00Z'],
    ...[
      '2026-01-31T24:00:00Z',
      '2026-01-31T23:60:00Z',
      '2026-01-31T23:59:60Z',
      '2026-01-31T0a:00:00Z',
      '2026-1-31T00:00:00Z',
    ],
    ...[
      '2026-01-31t00:00:00Z',
      '2026-01-31T00:00:00z',
      '2026/01/31T00:00:00Z',
      '2026-01-31T00-00-00Z',
      '2026-01-31T00:00:00',
    ],
    ...[
      '2026-01-31T00:00:00,123Z',
      '2026-01-31T00:00:00.12aZ',
      '2026-11-15T12:00:00Z',
      '2026-11-15T12:00:00.001Z',
      '',
      'x',
    ],
  ])('may say %j, or may not', async (at) => {
    const lines = [written({ at: '2026-01-31T12:00:00Z' }), written({ at }), written({ at })]
    expect(await prepare(lines)).toEqual(model(lines))
  })

  it('with names of any length are refused, not stumbled over', async () => {
    const lengths = [200, 201, ...Array.from({ length: 12 }, (_, index) => 4_086 + index)]
    const lines = lengths.flatMap((length) =>
      [
        { country: 'x'.repeat(length) },
        { region: 'x'.repeat(length) },
        { country: 'DE', city: 'x'.repeat(length) },
      ].map(written),
    )
    expect(await prepare(lines)).toEqual(model(lines))
  })

  it('may name their link by a name that the domain had before', async () => {
    const lines = ['new.rt/a', 'https://old.rt/a', 'sho.rt/a', 'other.rt/a'].map((link) => written({ link }))
    const { clicks, rejected } = await prepare(lines)
    expect(clicks.map(({ address }) => address)).toEqual(['sho.rt/a', 'sho.rt/a', 'sho.rt/a'])
    expect(rejected).toHaveLength(1)
  })

  it('that are too long are rejected, without their text', async () => {
    const lines = [
      written({ referrer: 'x'.repeat(maxLineLength) }),
      written({ user_agent: 'x'.repeat(maxLineLength - 100) }),
    ]
    const { clicks, rejected } = await prepare(lines)
    expect(clicks).toEqual(model(lines.slice(1)).clicks)
    expect(rejected).toEqual([{ line: 1, reason: 'the line is too long', text: '' }])
  })

  it('are the same whatever was forgotten between them', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      written({
        referrer: `https://x${index}.example/${'x'.repeat(20_000)}`,
        ip: `8.8.${index % 200}.8`,
        user_agent: `a${index % 3}`,
      }),
    )
    const preparation = new Preparation({ geography, salts, targets, domainNames }, now)
    const clicks: Click[] = []
    const tables = new Set<unknown>()
    for (let from = 0; from < lines.length; from += 500) {
      await preparation.add(pieceOf(lines.slice(from, from + 500), from + 1))
      const batch = preparation.take().clicks
      tables.add(batch.referrers.table)
      clicks.push(...clicksOf(batch, upTo))
    }
    expect(tables.size).toBeGreaterThan(1)
    expect(comparable(clicks)).toEqual(model(lines).clicks)
  })
})
