import { expect, it } from 'vitest'
import { alterRecords, inRecords } from '../api/alter-records.js'
import { lockRecords } from '../support/lock-records.js'
import { useApp } from '../support/start-app.js'

const started = useApp({ databaseUrl: undefined })

it('a test that changes records waits for a transaction that goes on in the next turn of its own thread', async () => {
  const other = await lockRecords(started.app.config.dataDir)
  setImmediate(() => other.exec('commit'))
  await alterRecords(started, 'update users set name = ? where login = ?', 'Ada', 'admin')
  expect(await inRecords(started, 'select name from users')).toEqual([{ name: 'Ada' }])
  other.close()
})
