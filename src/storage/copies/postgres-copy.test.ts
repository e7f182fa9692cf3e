import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresEngine } from '../../../test/support/sql-engines.js'
import { copyOut } from './postgres-copy.js'

const engine = postgresEngine()

describe.skipIf(engine.skip)(`COPY to a slow file: ${engine.title}`, () => {
  it('ends, and the next one begins, also when the last rows had to wait', async () => {
    const database = await engine.create()
    const client = new Client({ connectionString: database.location })
    await client.connect()
    onTestFinished(async () => {
      await client.end()
      await database.remove()
    })
    for (const rows of [200, 1, 200]) {
      let bytes = 0
      const slow = new Writable({
        highWaterMark: 1,
        write: (chunk: Buffer, _encoding, done) => {
          bytes += chunk.length
          void setTimeout(1).then(() => done())
        },
      })
      const sql = `copy (select repeat('x', 99) from generate_series(1, ${rows})) to stdout`
      expect(await copyOut(client, sql, slow)).toBe(rows)
      slow.end()
      await finished(slow)
      expect(bytes).toBe(rows * 100)
    }
  })
})
