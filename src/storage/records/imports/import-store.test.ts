import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { importStoreContract } from '../../../core/imports/import-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => importStoreContract(engine.open))
}
