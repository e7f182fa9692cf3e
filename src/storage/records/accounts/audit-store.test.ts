import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { auditStoreContract } from '../../../core/accounts/audit-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => auditStoreContract(engine.open))
}
