import { afterEach, beforeEach, describe } from 'vitest'
import { sqlEngines, type TestDatabase } from '../../../../test/support/sql-engines.js'
import {
  lostKeyContract,
  queueClaimsContract,
  webhookStoreContract,
} from '../../../core/webhooks/webhook-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    webhookStoreContract(engine.open)

    describe('several connections', () => {
      let database: TestDatabase
      beforeEach(async () => {
        database = await engine.create()
        const records = await database.connect()
        await records.migrate()
        await records.close()
      })
      afterEach(() => database.remove())

      queueClaimsContract(() => database.connect())
      lostKeyContract((secretsKey) => database.connect(undefined, secretsKey))
    })
  })
}
