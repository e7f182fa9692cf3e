import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { jobStoreContract } from '../../../core/bulk/job-store.contract.js'

for (const engine of sqlEngines())
  describe.skipIf(engine.skip)(engine.title, () => jobStoreContract(() => engine.open()))
