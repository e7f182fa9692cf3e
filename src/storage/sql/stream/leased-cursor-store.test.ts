import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { leasedCursorStoreContract } from '../../../core/stream/leased-cursor-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    leasedCursorStoreContract(engine.open)
  })
}
