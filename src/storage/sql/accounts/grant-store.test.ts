import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { grantStoreContract } from '../../../core/accounts/grant-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => grantStoreContract(engine.open))
}
