import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { campaignStoreContract } from '../../../core/campaigns/campaign-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => campaignStoreContract(engine.open))
}
