import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { clickStoreContract } from '../../../core/clicks/click-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    clickStoreContract(engine.open)
  })
}
