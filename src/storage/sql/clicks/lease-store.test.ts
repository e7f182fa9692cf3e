import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { leaseStoreContract } from '../../../core/clicks/lease-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    leaseStoreContract(engine.open)
  })
}
