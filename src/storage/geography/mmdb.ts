/**
 * Geolocation from mmdb files: the bundled DB-IP city data or the operator's files, with DB-IP's flat or MaxMind's
 * nested records. All files are checked when opened; each is loaded into memory at the first IP of its family, so a
 * service without IPv6 visitors never loads the IPv6 file (28 MB). The bundled files are packed, to a third of that.
 */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { Reader, type Response } from 'maxmind'
import { type Geography, type Location, unknownLocation } from '../../core/clicks/locate.js'
import { installation } from '../../lib/installation.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { RecentMap } from '../../lib/recent-map.js'
import { ipv4Tree } from './ipv4-tree.js'

export function openGeography(files: readonly string[]): Geography {
  const opened = files.length > 0 ? files.map((file) => new MmdbFile(file, checkFile(file))) : bundledFiles()
  const ofVersion4 = opened.filter((file) => file.ipVersion === 4)
  const ofVersion6 = opened.filter((file) => file.ipVersion === 6)
  // An IPv6 file may contain IPv4 addresses too (MaxMind's do), so it is used for them when there is no other.
  const forIpv4 = ofVersion4.length > 0 ? ofVersion4 : ofVersion6
  return {
    location(address) {
      for (const file of address.includes(':') ? ofVersion6 : forIpv4) {
        const location = file.location(address)
        if (location) return location
      }
      return unknownLocation
    },
  }
}

/** scripts/build-geography.mjs makes them. */
function bundledFiles(): readonly MmdbFile[] {
  const folder = new URL('dist-geography/', installation)
  return ([4, 6] as const).map((ipVersion) => {
    const file = fileURLToPath(new URL(`dbip-city-ipv${ipVersion}.packed.gz`, folder))
    readTail(file)
    return new MmdbFile(file, ipVersion)
  })
}

class MmdbFile {
  readonly ipVersion: 4 | 6
  readonly #file: string
  #loaded: Loaded | undefined

  constructor(file: string, ipVersion: 4 | 6) {
    this.#file = file
    this.ipVersion = ipVersion
  }

  /** Returns the same object for IPs in the same location while it is cached. */
  location(address: string): Location | undefined {
    this.#loaded ??= this.#load()
    const { reader, recordOf, places } = this.#loaded
    if (address.includes(':')) return placeIn(reader, address)
    const record = recordOf(address)
    if (record === undefined) return undefined
    const known = places.get(record)
    if (known) return known
    const location = placeIn(reader, address)
    if (location) places.set(record, location)
    return location
  }

  #load(): Loaded {
    try {
      const stored = readFileSync(this.#file)
      const data = this.#file.endsWith('.packed.gz') ? unpacked(gunzipSync(stored)) : stored
      // Records share most of their data, and decoding it is the larger part of a lookup.
      const reader = new Reader<Response>(data, { cache: new RecentMap<string | number, unknown>(40_000) })
      return { reader, recordOf: ipv4Tree(data, reader.metadata), places: new RecentMap(40_000) }
    } catch (error) {
      throw brokenFile(this.#file, messageOf(error))
    }
  }
}

/** Pointers to other nodes count from their own node, which packs well (`packed` in scripts/geography/slim-mmdb.mjs). */
function unpacked(data: Buffer): Buffer {
  const { nodeCount } = new Reader<Response>(data).metadata
  for (let node = 0, at = 0; node < nodeCount; node++) {
    for (const end = at + 6; at < end; at += 3) {
      const pointer = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
      if (pointer >= nodeCount) continue
      data[at] = (pointer + node) >> 16
      data[at + 1] = (pointer + node) >> 8
      data[at + 2] = pointer + node
    }
  }
  return data
}

interface Loaded {
  readonly reader: Reader<Response>
  readonly recordOf: (address: string) => number | undefined
  readonly places: RecentMap<number, Location>
}

function placeIn(reader: Reader<Response>, address: string): Location | undefined {
  const record = reader.get(address)
  return record ? readRecord(record as CityRecord) : undefined
}

/** The fields we use of both record kinds; any may be missing. */
interface CityRecord {
  readonly country_code?: unknown
  readonly state1?: unknown
  readonly state2?: unknown
  readonly city?: unknown
  readonly country?: { readonly iso_code?: unknown }
  readonly subdivisions?: readonly Named[]
}

interface Named {
  readonly iso_code?: unknown
  readonly names?: { readonly en?: unknown }
}

function readRecord(record: CityRecord): Location {
  if (typeof record.country_code === 'string') {
    return {
      country: record.country_code,
      region: text(record.state1),
      subregion: text(record.state2),
      city: text(record.city),
    }
  }
  const [region, subregion] = record.subdivisions ?? []
  const city = record.city as Named | undefined
  return {
    country: text(record.country?.iso_code),
    // The region is the ISO code of the state where there is one (docs/api/redirects.md#enrichment).
    region: text(region?.iso_code) || text(region?.names?.en),
    subregion: text(subregion?.iso_code) || text(subregion?.names?.en),
    city: text(city?.names?.en),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The metadata follows this marker within the last 128 KiB of the file. */
const metadataMark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const metadataReach = 128 * 1024

/** Returns the IP version of the file without reading all of it. */
function checkFile(file: string): 4 | 6 {
  const tail = readTail(file)
  const mark = tail.lastIndexOf(metadataMark)
  if (mark < 0) throw brokenFile(file, 'it is not an mmdb file, or it is incomplete')
  const key = tail.indexOf('ip_version', mark)
  // A small number is a control byte (type 5 in the upper three bits, length in bytes in the lower five) and the bytes.
  const version = key < 0 || tail[key + 10] !== 0xa1 ? undefined : tail[key + 11]
  if (version !== 4 && version !== 6) throw brokenFile(file, 'its metadata has no valid IP version')
  return version
}

function readTail(file: string): Buffer {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { size } = fstatSync(descriptor)
      const tail = Buffer.alloc(Math.min(size, metadataReach))
      readSync(descriptor, tail, 0, tail.length, size - tail.length)
      return tail
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw brokenFile(file, messageOf(error))
  }
}

function brokenFile(file: string, reason: string): OperatorError {
  return new OperatorError(
    `Cannot use the geography file ${file}: ${reason}. Set the option "geography" to readable mmdb files with city data, or leave it empty to use the bundled ones.`,
  )
}
