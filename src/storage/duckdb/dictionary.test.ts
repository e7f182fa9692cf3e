import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Location } from '../../core/clicks/locate.js'
import { Addresses, addressIn, Descriptions } from './dictionary.js'

it('does not cache a stale read of an address that got another group meanwhile', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('CREATE TABLE addresses (id INTEGER, digest BIGINT, value VARCHAR, group_key INTEGER)')
  const addresses = await Addresses.open(connection, 'addresses', 100)
  async function give(group: number): Promise<void> {
    await addresses.prepare(connection, [addressIn(group, 'sho.rt/a'), addressIn(group, 'sho.rt/b')])
    await addresses.write(connection)
    addresses.committed()
  }
  await give(1)

  // Delays every response until the next group has been written.
  const slow = new Proxy(connection, {
    get: (target, name) =>
      name === 'runAndReadAll'
        ? async (sql: string) => {
            const answer = await target.runAndReadAll(sql)
            await give(2)
            return answer
          }
        : Reflect.get(target, name),
  })
  expect(await addresses.keysOf(slow, ['sho.rt/a'])).toHaveLength(1)
  expect(await addresses.keysOf(connection, ['sho.rt/a'])).toHaveLength(2)
  expect(await addresses.keysOf(connection, ['sho.rt/a', 'sho.rt/b', 'sho.rt/c'])).toHaveLength(4)
  connection.closeSync()
  instance.closeSync()
})

describe('Descriptions', () => {
  async function openPlaces(size: number) {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    onTestFinished(() => {
      connection.closeSync()
      instance.closeSync()
    })
    await connection.run(
      'CREATE TABLE places (id INTEGER, country VARCHAR, region VARCHAR, subregion VARCHAR, city VARCHAR)',
    )
    const reopen = () =>
      Descriptions.open<Location>(connection, 'places', ['country', 'region', 'subregion', 'city'], size)
    return { connection, reopen, places: await reopen() }
  }

  const aPlace = (city: string, subregion = '', region = '', country = '') => ({ country, region, subregion, city })
  const berlin = aPlace('Berlin', '', 'Berlin', 'DE')
  const others = [
    aPlace('', 'Berlin', 'Berlin', 'DE'),
    aPlace('Berlin', '', 'New Hampshire', 'US'),
    aPlace(''),
    aPlace('x'.repeat(2000)),
    aPlace('x'.repeat(2001)),
  ]

  it('have one key per combination of words, also after a restart', async () => {
    const { connection, reopen, places } = await openPlaces(100)
    const berlins = [berlin, ...others]
    const keys = berlins.map((place) => places.key(place))
    expect(new Set(keys).size).toBe(berlins.length)
    expect(berlins.map((place) => places.key({ ...place }))).toEqual(keys)
    await places.write(connection)
    places.committed()
    const again = await reopen()
    expect(berlins.map((place) => again.key(place))).toEqual(keys)
  })

  it('forget keys that were rolled back, and only those', async () => {
    const { connection, places } = await openPlaces(100)
    const kept = places.key(berlin)
    await places.write(connection)
    places.committed()
    const lost = others.map((place) => places.key(place))
    places.rolledBack()
    expect(places.key(berlin)).toBe(kept)
    const given = others.map((place) => places.key(place))
    expect(Math.min(...given)).toBeGreaterThan(Math.max(...lost))
  })

  it('keep used entries and forget unused ones', async () => {
    const { places } = await openPlaces(10)
    const used = places.key(aPlace('used'))
    const unused = places.key(aPlace('unused'))
    for (let number = 0; number < 100; number++) {
      places.key(aPlace(String(number)))
      expect(places.key(aPlace('used'))).toBe(used)
    }
    expect(places.key(aPlace('unused'))).not.toBe(unused)
  })
})
