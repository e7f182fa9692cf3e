import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { apiKeyStoreContract } from '../../../core/accounts/api-key-store.contract.js'
import { auditStoreContract } from '../../../core/accounts/audit-store.contract.js'
import { identityStoreContract } from '../../../core/accounts/identity-store.contract.js'
import { invitationStoreContract } from '../../../core/accounts/invitation-store.contract.js'
import { throttleStoreContract } from '../../../core/accounts/throttle-store.contract.js'
import { twoFactorStoreContract } from '../../../core/accounts/two-factor-store.contract.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    identityStoreContract(engine.open)
    twoFactorStoreContract(engine.open)
    throttleStoreContract(engine.open)
    invitationStoreContract(engine.open)
    apiKeyStoreContract(engine.open)
    auditStoreContract(engine.open)
  })
}
