import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { bookmarkStoreContract } from '../../../core/stream/bookmark-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    bookmarkStoreContract(engine.open)
  })
}
