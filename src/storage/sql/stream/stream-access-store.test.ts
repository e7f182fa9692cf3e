import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { streamAccessStoreContract } from '../../../core/stream/stream-access-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    streamAccessStoreContract(engine.open)
  })
}
