import { describe } from 'vitest'
import { defaultDomain, sqlEngines } from '../../../../test/support/sql-engines.js'
import { keywordStoreContract } from '../../../core/links/keyword-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => keywordStoreContract(engine.open, defaultDomain))
}
