import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { siteIconStoreContract } from '../../../core/titles/site-icon-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => siteIconStoreContract(engine.open))
}
