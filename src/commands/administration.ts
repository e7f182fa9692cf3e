import { existsSync } from 'node:fs'
import type { Config, OptionName } from '../config/config.js'
import { operator } from '../core/accounts/actor.js'
import type { OperationArguments, OperationName, OperationResult } from '../core/administration/operations.js'
import { askService } from '../edges/control/client.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Records } from '../storage/sql/records.js'
import { recordsFile } from '../storage/sql/records-file.js'

/**
 * Runs an operation in the running service of the data directory, or directly on its database when no service runs. The
 * service comes first because it caches tokens for some seconds: a revoked token then stops working at once.
 */
export async function administer<Name extends OperationName>(
  config: Config,
  name: Name,
  given: OperationArguments<Name>,
): Promise<OperationResult<Name>> {
  const answered = await askService(controlSocketPath(config.dataDir), name, given)
  if (answered) return answered.result
  return withRecords(config, async (records) => {
    await requireCurrentSchema(records)
    // Loaded lazily: a command that reaches the running service does not need it and starts half a second faster.
    const { operate } = await import('../core/administration/operations.js')
    const { administrationDeps } = await import('../app.js')
    const deps = administrationDeps(config, records)
    await deps.domains.refresh()
    const result = await operate(deps, operator, name, given)
    return result as OperationResult<Name>
  })
}

/** The options that decide which database a command works on. */
export const recordOptions: readonly OptionName[] = ['dataDir', 'databaseUrl']

export async function withRecords<T>(
  config: Config,
  work: (records: Records) => Promise<T>,
  { mayMakeThem = false } = {},
): Promise<T> {
  // A mistyped path would silently create a new, empty service.
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !existsSync(mayMakeThem ? dataDir : recordsFile(dataDir))) {
    const missing = existsSync(dataDir) ? 'service in the data directory' : 'data directory'
    throw new OperatorError(
      `There is no ${missing} ${dataDir}. Start the service once to create it, or choose another with --data-dir.`,
    )
  }
  const { openRecords } = await import('../open-records.js')
  const records = await openRecords(config)
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}

export async function requireCurrentSchema(records: Records): Promise<void> {
  const pending = await records.pendingMigrations()
  if (pending.length > 0) {
    throw new OperatorError(
      `The database is ${pending.length} migration(s) behind this version. Run "shortlink migrate" or start the service first.`,
    )
  }
}
