import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { tagStoreContract } from '../../../core/links/tag-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => tagStoreContract(engine.open))
}
