import { describe } from 'vitest'
import { defaultDomain, sqlEngines } from '../../../../test/support/sql-engines.js'
import { newLinkStoreContract } from '../../../core/stream/new-link-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    newLinkStoreContract(engine.open, defaultDomain)
  })
}
