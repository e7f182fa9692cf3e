import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { utmTemplateStoreContract } from '../../../core/groups/utm-template-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => utmTemplateStoreContract(engine.open))
}
