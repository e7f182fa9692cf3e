import { describe } from 'vitest'
import { defaultDomain, sqlEngines } from '../../../../test/support/sql-engines.js'
import { titleStoreContract } from '../../../core/titles/title-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => titleStoreContract(engine.open, defaultDomain))
}
