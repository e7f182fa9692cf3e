import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { Addresses, addressIn } from './dictionary.js'

it('does not remember of an address what was read before it got another group', async () => {
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

  // Everything that is asked of it is answered when the next group has been written.
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
