import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { visitorSaltStoreContract } from '../../../core/clicks/visitor-salt-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    visitorSaltStoreContract(engine.open)
  })
}
