import type { AdministrationDeps } from '../../src/core/administration/operations.js'
import { administrationDeps as partsFor } from '../../src/runtime/app.js'
import type { Records } from '../../src/storage/records/records.js'

/** What operations work with when the service is stopped, on the given records. */
export function administrationDeps(records: Records): AdministrationDeps {
  const baseUrl = 'http://localhost:8080'
  return partsFor(
    {
      plans: undefined,
      defaultPlan: 'unlimited',
      baseUrl,
      domains: ['localhost:8080'],
      domainAliases: [],
      dnsServers: [],
      dnsTargets: [],
      outgoingAllow: [],
    },
    records,
  )
}
