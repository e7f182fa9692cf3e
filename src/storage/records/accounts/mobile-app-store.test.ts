import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { mobileAppStoreContract } from '../../../core/mobile-apps/mobile-app-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => mobileAppStoreContract(engine.open))
}
