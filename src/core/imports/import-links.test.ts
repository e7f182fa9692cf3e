import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import { Domains } from '../domains/domains.js'
import { importLinks, type RowResult } from './import-links.js'
import type { OnConflict } from './import-store.js'
import type { ImportedLink, LinkSource } from './imported-link.js'

type Row = readonly [backHalf: string, longUrl: string, custom?: string]

let records: Awaited<ReturnType<typeof temporaryRecords>>
beforeEach(async () => {
  records = await temporaryRecords()
})
afterEach(() => records.close())

async function run(rows: readonly Row[], onConflict: OnConflict, dryRun: boolean): Promise<readonly RowResult[]> {
  const results: RowResult[] = []
  const domains = new Domains(
    { domainStore: records.domainStore, onFailure: () => {} },
    { builtIn: ['go.example'], baseUrl: 'http://go.example' },
  )
  const owner = { groupGuid: 'Bgroup00001', login: 'ada', at: Date.UTC(2026, 10) }
  const source = {
    async *links() {
      for (const [index, row] of rows.entries()) yield linkOf(index + 1, row)
    },
  } as Partial<LinkSource> as LinkSource
  await importLinks(
    { linkImports: records.linkImports, domains },
    source,
    { owner, map: new Map(), onConflict, dryRun },
    { onResult: (result) => void results.push(result) },
  )
  return results
}

function linkOf(row: number, [backHalf, longUrl, custom]: Row): ImportedLink {
  const customBackHalves = custom === undefined ? [] : [{ domain: undefined, backHalf: custom }]
  return { row, domain: undefined, backHalf, longUrl: `https://example.com/${longUrl}`, customBackHalves }
}

it.each([
  ['dot.', 'it ends with punctuation, which is cut off visited URLs'],
  ['x/2024/page', 'it looks like a GS1 Digital Link, which leads to the link of its first part'],
  ['api', 'the service itself uses it'],
  ['.htaccess', 'it begins with a dot'],
  ['x'.repeat(256), 'it is longer than 255 characters'],
  ['a b', 'it is too long, or it has spaces, empty parts or characters such as ? and #'],
])('the back-half %j is refused with its own reason', async (backHalf, reason) => {
  const [result] = await run([[backHalf, 'page']], 'skip', true)
  expect(result).toMatchObject({ outcome: 'invalid', reason: expect.stringMatching(`: ${reason.replace('?', '.')}$`) })
})

describe('a dry run', () => {
  const rows: readonly Row[] = [
    ['sale', 'one'],
    ['other', 'other'],
    ['sale', 'two'],
    ['sale', 'one'],
    ['sale', 'two'],
    ['sale-2', 'three'],
    ['taken', 'four'],
    ['taken', 'five'],
    ['taken', 'there'],
    ['menu', 'menu', 'food'],
    ['food', 'menu'],
    ['food', 'elsewhere'],
    ['lunch', 'lunch', 'food'],
  ]

  it.each<OnConflict>(['skip', 'rename', 'replace'])(
    'sees earlier rows of the file like a real one: %s',
    async (rule) => {
      await run(
        [
          ['taken', 'there'],
          ['taken-3', 'held'],
        ],
        'skip',
        false,
      )
      const outcomes = (results: readonly RowResult[]) =>
        results.map(({ row, outcome, address }) => [row, outcome, address])
      const dry = await run(rows, rule, true)
      const real = await run(rows, rule, false)
      expect(outcomes(dry)).toEqual(outcomes(real))
      expect(dry.at(-1)?.reason).toBe('left out, because earlier rows have them: go.example/food')
      if (rule === 'skip') expect(dry[2]?.reason).toBe('an earlier row has this back-half and leads elsewhere')
    },
  )
})
