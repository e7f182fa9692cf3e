import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { groupRecordStoreContract } from '../../../core/groups/group-record-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => groupRecordStoreContract(engine.open))
}
