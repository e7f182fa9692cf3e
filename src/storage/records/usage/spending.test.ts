import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { spendingContract } from '../../../core/limits/spending.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    spendingContract((limits) => engine.open({ limitsOf: (guid) => (guid === 'Oorganization' ? limits : undefined) }))
  })
}
