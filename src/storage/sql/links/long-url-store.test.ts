import { describe } from 'vitest'
import { defaultDomain, sqlEngines } from '../../../../test/support/sql-engines.js'
import { longUrlStoreContract } from '../../../core/links/long-url-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => longUrlStoreContract(engine.open, defaultDomain))
}
