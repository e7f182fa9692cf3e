import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { clickLogHomeStoreContract } from '../../../core/clicks/click-log-home-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    clickLogHomeStoreContract(engine.open)
  })
}
