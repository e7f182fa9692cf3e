import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { webhookStoreContract } from '../../../core/webhooks/webhook-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => webhookStoreContract(engine.open))
}
