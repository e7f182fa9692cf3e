import { describe } from 'vitest'
import { sqlEngines } from '../../../../test/support/sql-engines.js'
import { auditStoreContract } from '../../../core/audit/audit-store.contract.js'
import { apiKeyStoreContract } from '../../../core/sign-in/api-key-store.contract.js'
import { identityStoreContract } from '../../../core/sign-in/identity-store.contract.js'
import { invitationStoreContract } from '../../../core/sign-in/invitation-store.contract.js'
import { throttleStoreContract } from '../../../core/sign-in/throttle-store.contract.js'
import { twoFactorStoreContract } from '../../../core/sign-in/two-factor-store.contract.js'

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
