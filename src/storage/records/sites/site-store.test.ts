import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { siteStoreContract } from '../../../core/sites/site-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => siteStoreContract(engine.open))
}
