import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { imageStoreContract } from '../../../core/images/image-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => imageStoreContract(engine.open))
}
