import { existsSync } from 'node:fs'
import type { Config, OptionName } from '../config/config.js'
import type { OperationArguments, OperationName, OperationResult } from '../core/administration/operations.js'
import { askService } from '../edges/control/client.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import { OperatorError } from '../lib/operator-error.js'
import type { Records } from '../storage/sql/records.js'
import { recordsFile } from '../storage/sql/records-file.js'

/**
 * Carries out an operation in the running service of the data directory, or on its records when none runs. Asking the
 * service first is what makes a revoked token useless at once: the service remembers tokens for some seconds.
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
    // Loaded here: a command that reaches the running service needs none of it, and answers half a second sooner.
    const { operate } = await import('../core/administration/operations.js')
    const { administrationDeps } = await import('../app.js')
    const deps = administrationDeps(config, records)
    await deps.domains.refresh()
    const result = await operate(deps, name, given)
    return result as OperationResult<Name>
  })
}

/** The options that decide which records a command works on. */
export const recordOptions: readonly OptionName[] = ['dataDir', 'databaseUrl']

export async function withRecords<T>(
  config: Config,
  work: (records: Records) => Promise<T>,
  { mayMakeThem = false } = {},
): Promise<T> {
  // A mistyped path would otherwise quietly become a new, empty service.
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !existsSync(mayMakeThem ? dataDir : recordsFile(dataDir))) {
    const missing = existsSync(dataDir) ? 'service in the data directory' : 'data directory'
    throw new OperatorError(
      `There is no ${missing} ${dataDir}. Start the service once to make it, or choose another with --data-dir.`,
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
