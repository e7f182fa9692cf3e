/** Whether the database has the schema of this version. */
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import { OperatorError } from '../../lib/operator-error.js'

const area = 'migrations'

export interface MigratedRecords {
  pendingMigrations(): Promise<readonly string[]>
}

export async function examineMigrations(records: MigratedRecords): Promise<Finding[]> {
  try {
    const pending = await records.pendingMigrations()
    if (pending.length === 0) return [ok(area, 'The database has the schema of this version.')]
    const message = `The database lacks ${pending.length} migration(s): ${pending.join(', ')}.`
    return [warning(area, message, 'Make a backup, then run "shortlink migrate" or start the service.')]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [wrong(area, error.message, 'Install the newer version again, or restore a backup.')]
  }
}
